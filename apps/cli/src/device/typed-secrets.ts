import { readFileSync, statSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { Secret } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';

/** Where the person sits who uses a verb, or what stands in for them. */
export interface Keyboard {
  readonly input: Readable;
  /** Both what is asked and what is typed are on a terminal. */
  readonly isTerminal: boolean;
  /** Where questions are asked: beside the results. */
  readonly ask: (text: string) => void;
}

export const keyboardOfProcess = (): Keyboard => ({
  input: process.stdin,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
  ask: (text) => void process.stderr.write(text),
});

const FILE_BYTES_MAX = 4_096;
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * What no list of processes and no history of a shell should hold: typed in answer to a question without being shown, or read as a line of a file
 * (`@path`) or of standard input (`-`). A test card may stand in the argument itself.
 */
export class TypedSecrets {
  readonly #keyboard: Keyboard;
  #lines: { readonly reader: Interface; readonly iterator: AsyncIterator<string> } | undefined;

  constructor(keyboard: Keyboard) {
    this.#keyboard = keyboard;
  }

  /** Undefined where it is not given and nobody is there to be asked. @throws CommandFailed naming the option and never what was typed */
  async read(option: string, given: string | undefined, question: string): Promise<Secret<string> | undefined> {
    if (given === undefined) return this.#keyboard.isTerminal ? new Secret(await this.typed(question, { isHidden: true })) : undefined;
    if (given === '-') return this.#nextLine(option);
    return new Secret(given.startsWith('@') ? firstLineOf(option, given.slice(1)) : given.trim());
  }

  /** One line of a terminal. @throws CommandFailed where it ends instead */
  typed(question: string, { isHidden }: { readonly isHidden: boolean }): Promise<string> {
    const { input, ask } = this.#keyboard;
    ask(question);
    const output = isHidden ? nowhere() : new Writable({ write: (chunk: Buffer, _encoding, done) => done(void ask(chunk.toString())) });
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

  /** Standard input holds nobody any more. */
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
