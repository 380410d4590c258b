import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/free-port';
import { HttpClient, type HttpAnswer, type PublicSide, type RequestOptions } from '../http/http-client';
import { MERCHANT_SERVER_PROGRAM, ServiceProcess, type Environment, type Exit } from '../processes/service-process';
import { until } from '../until';

const READY_TIMEOUT_MS = 30_000;
const PORT_TRIES_MAX = 5;

export const ACME_PRODUCT = {
  login: 'acme',
  controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
  endpoints: [
    { id: '1001', currency: 'USD' },
    { id: '1004', currency: 'USD', operations: ['transfer'] },
  ],
  rates: [{ fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 150, minCentis: 30 }],
};

export interface MerchantServerSettings {
  readonly configuration?: object;
  readonly environment?: Environment;
}

export class MerchantServer implements PublicSide {
  readonly folder = mkdtempSync(join(tmpdir(), 'merchant-server-e2e-'));
  readonly dataDir = join(this.folder, 'data');
  readonly #environment: Environment;
  readonly #client = new HttpClient(() => this.baseUrl);
  #port = 0;
  #process: ServiceProcess | undefined;

  private constructor({ configuration = { products: [ACME_PRODUCT] }, environment = {} }: MerchantServerSettings) {
    this.#environment = environment;
    writeFileSync(join(this.folder, 'configuration.json'), JSON.stringify(configuration));
  }

  static async start(settings: MerchantServerSettings = {}): Promise<MerchantServer> {
    if (!existsSync(MERCHANT_SERVER_PROGRAM)) throw new Error(`${MERCHANT_SERVER_PROGRAM} is missing: run "npm run build" first`);
    const server = new MerchantServer(settings);
    for (let round = 1; ; round++) {
      server.#port = await freePort();
      try {
        await server.launch();
        return server;
      } catch (error) {
        const isPortTaken = server.#process?.stderr.includes('EADDRINUSE') === true;
        if (isPortTaken && round < PORT_TRIES_MAX) continue;
        await server.dispose();
        throw error;
      }
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get environment(): Environment {
    return {
      OPERATOR_PORT: '0',
      MERCHANT_CONFIG: join(this.folder, 'configuration.json'),
      DATA_DIR: this.dataDir,
      PORT: String(this.#port),
      LOG_LEVEL: 'info',
      ...this.#environment,
    };
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the merchant server does not run');
    return pid;
  }

  get stdout(): string {
    return this.#process?.stdout ?? '';
  }

  get stderr(): string {
    return this.#process?.stderr ?? '';
  }

  async launch(): Promise<void> {
    const started = new ServiceProcess(this.environment, MERCHANT_SERVER_PROGRAM);
    this.#process = started;
    await until(
      async () => {
        if (started.death !== undefined) throw started.death;
        return (await this.send(`${this.baseUrl}/health/ready`).catch(() => undefined))?.status === 200;
      },
      { what: 'the merchant server to be ready', timeoutMs: READY_TIMEOUT_MS },
    );
  }

  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
    if (this.#process === undefined) throw new Error('the merchant server was never started');
    return this.#process.end(signal);
  }

  async dispose(): Promise<void> {
    const death = this.#process?.death;
    if (this.#process !== undefined && this.#process.exit === undefined) await this.#process.end('SIGTERM');
    await this.#client.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (death !== undefined) throw death;
  }

  request(path: string, options?: RequestOptions): Promise<HttpAnswer> {
    return this.#client.request(path, options);
  }

  send(url: string, options?: RequestOptions): Promise<HttpAnswer> {
    return this.#client.send(url, { method: 'GET', ...options });
  }
}
