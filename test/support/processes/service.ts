import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger, type LedgerReader } from '@app/gateway-adapters/simulator';
import { freePort } from './free-port';
import { HttpClient, type HttpAnswer, type PublicSide, type RequestOptions } from '../http/http-client';
import { ServerStores } from './server-stores';
import { environmentOf, PROGRAM, ServiceProcess, type Environment, type Exit } from './service-process';
import { until } from '../until';

export type { HttpAnswer } from '../http/http-client';
export { type Environment, type Exit } from './service-process';

const READY_TIMEOUT_MS = 30_000;
const PORT_TRIES_MAX = 5;

export interface ServiceSettings {
  readonly configuration: object;
  readonly environment?: Environment;
  /** Data of an earlier service; default: a new folder. Only a new folder is removed. */
  readonly dataDir?: string;
  readonly stores?: 'files' | 'servers';
}

export const storesOfThisRun = (): 'files' | 'servers' => {
  const wanted = process.env['E2E_STORES'] || 'files';
  if (wanted !== 'files' && wanted !== 'servers') throw new Error('E2E_STORES: files or servers');
  return wanted;
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'orchestrator-e2e-'));

/**
 * The built service as a child process. `dispose` in `afterAll` throws with the log if it ended unexpectedly, so that the causing test
 * fails.
 */
export class Service implements PublicSide {
  readonly #folder: string;
  #configuration: object;
  readonly #isDataDirOwn: boolean;
  readonly dataDir: string;
  #environment: Environment;
  #stores: ServerStores | undefined;
  #port = 0;
  #operatorPort = 0;
  #process: ServiceProcess | undefined;
  readonly #client = new HttpClient(() => this.baseUrl);
  #deaths: Error[] = [];
  #earlierOutput = '';

  private constructor({ configuration, environment = {}, dataDir }: ServiceSettings) {
    this.#folder = newFolder();
    this.#configuration = configuration;
    this.#environment = environment;
    this.#isDataDirOwn = dataDir === undefined;
    this.dataDir = dataDir ?? join(this.#folder, 'data');
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
  }

  static async start(settings: ServiceSettings): Promise<Service> {
    if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: run "npm run build" first`);
    const service = new Service(settings);
    const isSaid = settings.dataDir !== undefined || settings.environment?.['EVENTSTORE_URL'] !== undefined;
    try {
      if ((settings.stores ?? (isSaid ? 'files' : storesOfThisRun())) === 'servers') service.#stores = await ServerStores.ofThisRun();
      for (let round = 1; ; round++) {
        service.#port = await freePort();
        service.#operatorPort = await freePort();
        try {
          await service.launch();
          return service;
        } catch (error) {
          const isPortTaken = service.#process?.stderr.includes('EADDRINUSE') === true;
          if (!isPortTaken || round === PORT_TRIES_MAX) throw error;
        }
      }
    } catch (error) {
      await service.dispose().catch(() => undefined);
      throw error;
    }
  }

  get port(): number {
    return this.#port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get operatorUrl(): string {
    return `http://127.0.0.1:${this.#operatorPort}`;
  }

  get orchEnvironment(): Environment {
    return environmentOf(this.places(), { ...this.#stores?.environment, ...this.#environment });
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the service does not run');
    return pid;
  }

  get stdout(): string {
    return this.#earlierOutput + (this.#process?.stdout ?? '');
  }

  get stderr(): string {
    return this.#process?.stderr ?? '';
  }

  /**
   * Only complete lines.
   * @throws SyntaxError if one is not JSON
   */
  logLines(): readonly Readonly<Record<string, unknown>>[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1);
    return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
  }

  exited(): Promise<Exit> {
    const running = this.running();
    running.isEndExpected = true;
    return running.exited;
  }

  /**
   * Sends SIGTERM, like a supervisor.
   * @throws Error if it had already ended unexpectedly
   */
  async stop(): Promise<Exit> {
    const running = this.running();
    this.noteDeath();
    const exit = await running.end('SIGTERM');
    this.throwDeath();
    return exit;
  }

  async kill(): Promise<Exit> {
    return this.running().end('SIGKILL');
  }

  /** Restarts on the same data and ports; a running service is stopped first. Arguments replace the earlier settings. */
  async restart(environment?: Environment, configuration?: object): Promise<void> {
    if (this.#process !== undefined && this.#process.exit === undefined) await this.stop();
    this.noteDeath();
    this.#earlierOutput = this.stdout;
    if (environment !== undefined) this.#environment = environment;
    if (configuration !== undefined) this.#configuration = configuration;
    await this.launch();
  }

  /**
   * @throws Error with the log if the service ended unexpectedly; other errors are passed on
   */
  request(path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    return this.send(this.baseUrl + path, options);
  }

  operatorRequest(path: string, method = 'GET'): Promise<HttpAnswer> {
    return this.send(this.operatorUrl + path, { method, headers: this.operatorHeaders });
  }

  /** The token that a service outside production creates; otherwise empty. */
  get operatorHeaders(): Readonly<Record<string, string>> {
    const path = join(this.dataDir, 'operator-token');
    return existsSync(path) ? { authorization: `Bearer ${readFileSync(path, 'utf8').trim()}` } : {};
  }

  ledger(): LedgerReader {
    return readLedger(join(this.dataDir, 'simulator.sqlite'));
  }

  async stored(): Promise<Buffer> {
    const files = readdirSync(this.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    return Buffer.concat([...files, Buffer.from((await this.#stores?.text()) ?? '')]);
  }

  async dispose(): Promise<void> {
    this.noteDeath();
    if (this.#process !== undefined && this.#process.exit === undefined) await this.#process.end('SIGKILL');
    await this.#client.close();
    await this.#stores?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.#isDataDirOwn) rmSync(this.dataDir, { recursive: true, force: true });
    this.throwDeath();
  }

  private async launch(): Promise<void> {
    const configuration = { publicBaseUrl: this.baseUrl, ...this.#configuration };
    writeFileSync(join(this.#folder, 'configuration.json'), JSON.stringify(configuration));
    const started = new ServiceProcess(this.orchEnvironment);
    this.#process = started;
    await until(
      async () => {
        if (started.exit !== undefined) {
          started.isEndExpected = true;
          throw new Error(`the service did not start: code ${started.exit.code}, signal ${started.exit.signal}\n${started.logTail()}`);
        }
        return this.isReady();
      },
      { what: 'readiness of the service', timeoutMs: READY_TIMEOUT_MS, seen: () => started.logTail() },
    );
  }

  private places(): Parameters<typeof environmentOf>[0] {
    return { folder: this.#folder, dataDir: this.dataDir, port: this.#port, operatorPort: this.#operatorPort };
  }

  private async isReady(): Promise<boolean> {
    try {
      return (await this.#client.request('/health/ready')).status === 200;
    } catch {
      return false;
    }
  }

  /**
   * @throws Error with the log if the service ended unexpectedly
   */
  async send(url: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    try {
      return await this.#client.send(url, options);
    } catch (error) {
      throw this.#process?.death ?? error;
    }
  }

  private running(): ServiceProcess {
    if (this.#process === undefined) throw new Error('the service was never started');
    return this.#process;
  }

  private noteDeath(): void {
    const death = this.#process?.death;
    if (death === undefined || this.#process === undefined) return;
    this.#process.isEndExpected = true;
    this.#deaths.push(death);
  }

  private throwDeath(): void {
    const [death] = this.#deaths.splice(0);
    if (death !== undefined) throw death;
  }
}
