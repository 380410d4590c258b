import { constants } from 'node:os';
import { existsSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { packageRoot } from '@app/configuration';
import { sleep, systemClock, systemScheduler } from '@app/kernel';
import { CommandFailed } from '../terminal';

const SIGNAL_BASE = 128;

export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]);

type BuiltApp = 'orchestrator' | 'merchant-server' | 'cli';

/** @throws CommandFailed if it was not built */
export const builtProgram = (app: BuiltApp): string => {
  const program = join(packageRoot(), 'dist', 'apps', app, 'src', 'main.js');
  if (!existsSync(program)) throw new CommandFailed(`the ${app} is not built: npm run build`);
  return program;
};

const POLL_GAP_MS = 50;

export const poll = async <Answer>(timeoutMs: number, ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> => {
  const giveUpAt = systemClock.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || systemClock.now() >= giveUpAt) return answer;
    await sleep(systemScheduler, POLL_GAP_MS);
  }
};

const READY_TIMEOUT_MS = 60_000;
const HEALTH_TIMEOUT_MS = 2_000;
/** Longer than the service takes to finish its current work. */
const STOP_TIMEOUT_MS = 30_000;
const ERRORS_CHARACTERS_MAX = 4_000;

export interface ProgramStart {
  readonly title: string;
  readonly app: BuiltApp;
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly port: number;
  /** It receives messages. */
  readonly hasChannel?: boolean;
}

export class ServiceProcess {
  readonly title: string;
  readonly port: number;
  readonly dataDir: string;
  readonly logPath: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #errors = '';
  #exitCode: number | undefined;

  private constructor({ title, port, dataDir }: ProgramStart, child: ChildProcess, logPath: string) {
    this.title = title;
    this.port = port;
    this.dataDir = dataDir;
    this.logPath = logPath;
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = `${this.#errors}${text}`.slice(-ERRORS_CHARACTERS_MAX);
    });
    this.#ended = new Promise((resolve) => {
      const end = (code: number): void => {
        this.#exitCode ??= code;
        resolve(this.#exitCode);
      };
      child.once('error', (error) => {
        this.#errors = error.message;
        end(1);
      });
      child.once('exit', (code, signal) => end(exitCodeOf(code, signal)));
    });
  }

  /** Resolves when it can serve. @throws CommandFailed if it exits first or is not ready in time */
  static async start(start: ProgramStart): Promise<ServiceProcess> {
    const { title, app, environment, dataDir, port } = start;
    mkdirSync(dataDir, { recursive: true });
    const logPath = join(dataDir, 'service.log');
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, [builtProgram(app)], {
      env: environment,
      stdio: ['ignore', log, 'pipe', ...(start.hasChannel === true ? (['ipc'] as const) : [])],
    });
    closeSync(log);
    const service = new ServiceProcess(start, child, logPath);
    const isReady = await poll(READY_TIMEOUT_MS, async () => {
      if (service.#exitCode !== undefined) return false;
      return (await answersReady(port)) ? true : undefined;
    });
    if (isReady === true) return service;
    await service.stop();
    throw new CommandFailed(`${title} did not become ready; its log is ${logPath}\n${service.#errors.trim()}`.trim());
  }

  /** For a program with a channel. */
  send(message: object): void {
    if (this.#child.connected) this.#child.send(message);
  }

  get ended(): Promise<number> {
    return this.#ended;
  }

  /** Exit code if it ends within this time, since a request may fail just before the exit is noticed. */
  endedWithin(timeoutMs: number): Promise<number | undefined> {
    return poll(timeoutMs, () => Promise.resolve(this.#exitCode));
  }

  /** Waits for current work to finish. */
  async stop(): Promise<number> {
    if (this.#exitCode !== undefined) return this.#exitCode;
    this.#child.kill('SIGTERM');
    const killTimer = setTimeout(() => void this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const code = await this.#ended;
    clearTimeout(killTimer);
    return code;
  }
}

export const answersReady = async (port: number): Promise<boolean> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};

export class SandboxPrograms {
  private constructor(readonly running: readonly ServiceProcess[]) {}

  /** @throws CommandFailed if one does not start; the others are stopped */
  static async start(starts: readonly ProgramStart[]): Promise<SandboxPrograms> {
    const starting = starts.map((one) => ServiceProcess.start(one));
    try {
      return new SandboxPrograms(await Promise.all(starting));
    } catch (error) {
      for (const end of await Promise.allSettled(starting)) if (end.status === 'fulfilled') await end.value.stop();
      throw error;
    }
  }

  async ended(): Promise<CommandFailed> {
    return Promise.race(this.running.map(async (program) => endedAs(program, await program.ended)));
  }

  /** As `ended` with a time limit, since a request may fail just before the exit is noticed. */
  async endedWithin(timeoutMs: number): Promise<CommandFailed | undefined> {
    const codes = await Promise.all(this.running.map((program) => program.endedWithin(timeoutMs)));
    const at = codes.findIndex((code) => code !== undefined);
    const program = this.running[at];
    return program === undefined ? undefined : endedAs(program, codes[at] ?? 0);
  }

  async stop(): Promise<void> {
    for (const program of this.running) await program.stop();
  }
}

const endedAs = ({ title, logPath }: ServiceProcess, code: number): CommandFailed =>
  new CommandFailed(`${title} ended with code ${code}; its log is ${logPath}`);
