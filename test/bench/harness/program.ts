import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';

const STOP_TIMEOUT_MS = 5_000;

interface Reply {
  readonly ok?: unknown;
  readonly failed?: string;
}

export class Program<Question, Answer> {
  readonly #child: ChildProcess;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    this.#child = fork(join(__dirname, '../programs', `${name}.program.ts`), [], {
      execArgv: ['--require', 'tsx/cjs', '--max-old-space-size=4096'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /**
   * @throws Error if the program fails, ends, or takes longer than the timeout
   */
  async ask(question: Question, timeoutMs: number): Promise<Answer> {
    const listening = new AbortController();
    const { signal } = listening;
    const timer = setTimeout(() => listening.abort(), timeoutMs);
    const told = once(this.#child, 'message', { signal }) as Promise<[Reply]>;
    const ended = once(this.#child, 'exit', { signal }).then(([code]): never => {
      throw new Error(`the program ended with ${String(code)}`);
    });
    try {
      this.#child.send(question as object);
      const [reply] = await Promise.race([told, ended]);
      if (reply.failed !== undefined) throw new Error(reply.failed);
      return reply.ok as Answer;
    } catch (error) {
      throw new Error(`${this.#name} ${signal.aborted ? `gave no answer within ${timeoutMs} ms` : 'failed'}`, { cause: error });
    } finally {
      clearTimeout(timer);
      listening.abort();
      await Promise.allSettled([told, ended]);
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} was not started`);
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}

export const askOnce = async <Question, Answer>(name: string, question: Question, timeoutMs: number): Promise<Answer> => {
  const program = new Program<Question, Answer>(name);
  try {
    return await program.ask(question, timeoutMs);
  } finally {
    await program.stop();
  }
};

export const answerQuestions = <Question, Answer>(answer: (question: Question) => Promise<Answer> | Answer): void => {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (question) => {
    void (async () => {
      try {
        process.send?.({ ok: await answer(question as Question) } satisfies Reply);
      } catch (error) {
        process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Reply);
      }
    })();
  });
};
