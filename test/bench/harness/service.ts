import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { SERVICE } from './built';

const READY_LOOK_MS = 5;
const STOP_TIMEOUT_MS = 30_000;

/** A measurement that fails leaves no service behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

export interface ServiceOptions {
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly roles: 'api' | 'api,worker';
  /** Where its stores are, where they are not files of its data directory. */
  readonly stores?: { readonly EVENTSTORE_URL: string; readonly READ_MODEL_URL: string; readonly VAULT_URL: string };
  /** Added to each commit of the event log. */
  readonly commitDelayMs?: number;
  /** 1 is a transaction a request. */
  readonly groupJobsMax?: number;
  readonly readyTimeoutMs?: number;
  /** `warn` where it is absent. */
  readonly logLevel?: 'warn' | 'error';
  /** Of Node, for a profile. */
  readonly nodeOptions?: readonly string[];
}

/** The built service in a process of its own, quiet but for what goes wrong. */
export class RunningService {
  readonly port: number;
  /** From the start of the process until it says that it is ready. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.port = port;
    this.startMs = startMs;
  }

  static async start(options: ServiceOptions): Promise<RunningService> {
    const port = await freePort();
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...(options.nodeOptions ?? []), SERVICE], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        ...options.stores,
        DATA_DIR: options.dataDir,
        ORCH_CONFIG: options.configurationPath,
        PORT: String(port),
        OPERATOR_PORT: '0',
        ROLES: options.roles,
        LOG_LEVEL: options.logLevel ?? 'warn',
        MEASURE_COMMIT_DELAY_MS: options.commitDelayMs?.toString(),
        MEASURE_GROUP_JOBS_MAX: options.groupJobsMax?.toString(),
      },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const until = startedAt + (options.readyTimeoutMs ?? 30_000);
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      if (performance.now() > until) {
        child.kill('SIGKILL');
        throw new Error('the service was not ready in time');
      }
      await delay(READY_LOOK_MS);
    }
    return new RunningService(child, port, performance.now() - startedAt);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the service was not started');
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}

const isReady = async (port: number): Promise<boolean> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};
