import { spawn, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';

/** `npm test` and `npm run test:e2e` build it first. */
export const PROGRAM = resolve(__dirname, '../../../dist/apps/orchestrator/src/main.js');

export const MERCHANT_SERVER_PROGRAM = resolve(__dirname, '../../../dist/apps/merchant-server/src/main.js');

const PRELOADED = join(__dirname, 'preloaded.cjs');
const STOP_TIMEOUT_MS = 30_000;
const LOG_TAIL_CHARACTERS = 6_000;

export type Environment = Readonly<Record<string, string>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ServiceProcess {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #exit: Exit | undefined;
  isEndExpected = false;
  stdout = '';
  stderr = '';

  constructor(environment: Environment, program = PROGRAM) {
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--require', PRELOADED, program], {
      // Not the test runner's environment, whose NODE_ENV and NODE_OPTIONS must not affect the program.
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: 'pipe',
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((settle) => {
      // `close` and not `exit`: only then has all output been read.
      this.#child.once('close', (code, signal) => {
        this.#exit = { code, signal };
        settle(this.#exit);
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  get death(): Error | undefined {
    if (this.#exit === undefined || this.isEndExpected) return undefined;
    const { code, signal } = this.#exit;
    return new Error(`the service ended unasked: code ${code}, signal ${signal}\n${this.logTail()}`);
  }

  logTail(): string {
    return `${this.stdout.slice(-LOG_TAIL_CHARACTERS)}\n${this.stderr.slice(-LOG_TAIL_CHARACTERS)}`;
  }

  async end(signal: NodeJS.Signals): Promise<Exit> {
    this.isEndExpected = true;
    this.#child.kill(signal);
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    try {
      return await this.exited;
    } finally {
      clearTimeout(late);
    }
  }
}

export const environmentOf = (
  { folder, dataDir, port, operatorPort }: { folder: string; dataDir: string; port: number; operatorPort: number },
  more: Environment,
): Environment => ({
  ORCH_CONFIG: join(folder, 'configuration.json'),
  DATA_DIR: dataDir,
  PORT: String(port),
  OPERATOR_PORT: String(operatorPort),
  LOG_LEVEL: 'info',
  ...more,
});
