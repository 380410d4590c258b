import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../command-failed';
import { exitCodeOf } from '../service/exit-code';
import { builtProgram, type BuiltApp } from '../service/service-program';
import { poll } from './tour/poll';

const READY_TIMEOUT_MS = 60_000;
const HEALTH_TIMEOUT_MS = 2_000;
/** Longer than the service takes to finish its work under way. */
const STOP_TIMEOUT_MS = 30_000;
const ERRORS_CHARACTERS_MAX = 4_000;

export interface ProgramStart {
  /** The program's name in messages. */
  readonly title: string;
  readonly app: BuiltApp;
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly port: number;
}

/** One of the built servers as a child process; its log goes to a file beside its data. */
export class ServiceProcess {
  readonly title: string;
  readonly logPath: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #errors = '';
  #exitCode: number | undefined;

  private constructor(title: string, child: ChildProcess, logPath: string) {
    this.title = title;
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

  /** Resolves when it can serve. @throws CommandFailed with its own message where it ends before that, or is not ready in time */
  static async start({ title, app, environment, dataDir, port }: ProgramStart): Promise<ServiceProcess> {
    mkdirSync(dataDir, { recursive: true });
    const logPath = join(dataDir, 'service.log');
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, [builtProgram(app)], { env: environment, stdio: ['ignore', log, 'pipe'] });
    closeSync(log);
    const service = new ServiceProcess(title, child, logPath);
    const isReady = await poll(READY_TIMEOUT_MS, async () => {
      if (service.#exitCode !== undefined) return false;
      return (await answersReady(port)) ? true : undefined;
    });
    if (isReady === true) return service;
    await service.stop();
    throw new CommandFailed(`${title} did not become ready; its log is ${logPath}\n${service.#errors.trim()}`.trim());
  }

  /** Resolves with the exit code, whenever and however it ends. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  /** The exit code where it has ended or ends within this time, since a request may fail just before the end is noticed. */
  endedWithin(timeoutMs: number): Promise<number | undefined> {
    return poll(timeoutMs, () => Promise.resolve(this.#exitCode));
  }

  /** Stops it once its work under way is finished. */
  async stop(): Promise<number> {
    if (this.#exitCode !== undefined) return this.#exitCode;
    this.#child.kill('SIGTERM');
    const killTimer = setTimeout(() => void this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const code = await this.#ended;
    clearTimeout(killTimer);
    return code;
  }
}

const answersReady = async (port: number): Promise<boolean> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};
