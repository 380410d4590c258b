import { readFileSync, statSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { Secret } from '@app/kernel';
import { CommandFailed, EXIT } from '../terminal';

export interface Keyboard {
  readonly input: Readable;
  /** True if both input and output are a terminal. */
  readonly isTerminal: boolean;
  /** Prints a question, on a separate stream from the results. */
  readonly ask: (text: string) => void;
}

export const keyboardOfProcess = (): Keyboard => ({
  input: process.stdin,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
  ask: (text) => void process.stderr.write(text),
});

const FILE_BYTES_MAX = 4_096;
const discardedOutput = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * Reads secrets that must not appear in process lists or shell history: typed without echo, from a file (`@path`) or from standard input (`-`).
 * Test cards may be given directly.
 */
export class TypedSecrets {
  readonly #keyboard: Keyboard;
  #lines: { readonly reader: Interface; readonly iterator: AsyncIterator<string> } | undefined;

  constructor(keyboard: Keyboard) {
    this.#keyboard = keyboard;
  }

  /** Undefined if it was not given and there is no terminal to ask on. @throws CommandFailed naming the option, never the text */
  async read(option: string, given: string | undefined, question: string): Promise<Secret<string> | undefined> {
    if (given === undefined) return this.#keyboard.isTerminal ? new Secret(await this.typed(question, { isHidden: true })) : undefined;
    if (given === '-') return this.#nextLine(option);
    return new Secret(given.startsWith('@') ? firstLineOf(option, given.slice(1)) : given.trim());
  }

  /** One line of a terminal. @throws CommandFailed if input ends first */
  typed(question: string, { isHidden }: { readonly isHidden: boolean }): Promise<string> {
    const { input, ask } = this.#keyboard;
    ask(question);
    const output = isHidden
      ? discardedOutput()
      : new Writable({ write: (chunk: Buffer, _encoding, done) => done(void ask(chunk.toString())) });
    const reader = createInterface({ input, output, terminal: true, historySize: 0 });
    return new Promise((resolve, reject) => {
      reader.once('line', (line) => {
        resolve(line.trim());
        reader.close();
      });
      reader.once('SIGINT', () => reader.close());
      reader.once('close', () => {
        if (isHidden) ask('\n');
        reject(new CommandFailed('interrupted', EXIT.interrupted));
      });
    });
  }

  /** Releases standard input, which would keep the process alive. */
  close(): void {
    this.#lines?.reader.close();
  }

  async #nextLine(option: string): Promise<Secret<string>> {
    if (this.#lines === undefined) {
      const reader = createInterface({ input: this.#keyboard.input, terminal: false, crlfDelay: Infinity });
      this.#lines = { reader, iterator: reader[Symbol.asyncIterator]() };
    }
    const next = await this.#lines.iterator.next();
    if (next.done === true) throw new CommandFailed(`${option} -: standard input has no line for it`, EXIT.usage);
    return new Secret(next.value.trim());
  }
}

const firstLineOf = (option: string, path: string): string => {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) throw new Error('too large');
    return (readFileSync(path, 'utf8').split(/\r?\n/)[0] ?? '').trim();
  } catch {
    throw new CommandFailed(`${option} @${path}: a file of at most ${FILE_BYTES_MAX} bytes that can be read is expected`, EXIT.usage);
  }
};
