import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';

const READY_LOOK_MS = 5;
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

/** Stopped with the measurement, even if it fails. */
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

export interface ProgramStart {
  readonly program: string;
  readonly port?: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readyTimeoutMs?: number | undefined;
}

export class RunningProgram {
  readonly port: number;
  readonly startMs: number;
  readonly #child: ChildProcess;

  protected constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.port = port;
    this.startMs = startMs;
  }

  protected static async launch({
    program,
    port = 0,
    environment,
    readyTimeoutMs = READY_TIMEOUT_MS,
  }: ProgramStart): Promise<[child: ChildProcess, port: number, startMs: number]> {
    const taken = port === 0 ? await freePort() : port;
    const startedAt = performance.now();
    const child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { PATH: process.env['PATH'], ...environment, PORT: String(taken) },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const until = startedAt + readyTimeoutMs;
    while (!(await isReady(taken))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
      if (performance.now() > until) {
        child.kill('SIGKILL');
        throw new Error(`${program} was not ready in time`);
      }
      await delay(READY_LOOK_MS);
    }
    return [child, taken, performance.now() - startedAt];
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program was not started');
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
