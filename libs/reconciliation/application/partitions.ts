import { isAscii } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of a partition that are gathered before they are written; a longer line is written by itself. */
const GATHERED_BYTES = 32_768;
const READ_BYTES = 65_536;
const ASCII_MAX = 0x7f;

/** FNV-1a with 32 bits: only spreads keys over the partitions. */
export const spread = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

/** A disk that is nearly full takes a part of what it is given, and says so by the count alone. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written, bytes.length - written);
};

/** Lines of text in temporary files, each in the partition of its key, so that what shares a key is found together in bounded memory. */
export class Partitions {
  readonly #files: readonly number[];
  /** As bytes: a text that waited here would be kept by the collector of garbage, and there are millions. */
  readonly #gathered: readonly Buffer[];
  readonly #lengths: number[];

  /** @param count of files, which are open at the same time */
  constructor(readonly count: number) {
    // Of its owner alone, whatever the umask.
    const folder = mkdtempSync(join(tmpdir(), 'orch-reconcile-'));
    try {
      this.#files = Array.from({ length: count }, (_, index) => openSync(join(folder, String(index)), 'wx+', 0o600));
    } finally {
      // What is open needs no name, and without one a kill leaves nothing behind.
      rmSync(folder, { recursive: true, force: true });
    }
    this.#gathered = this.#files.map(() => Buffer.allocUnsafe(GATHERED_BYTES));
    this.#lengths = this.#files.map(() => 0);
  }

  /** @param text without a line break */
  add(key: string, text: string): void {
    const index = spread(key) % this.count;
    const line = `${text}\n`;
    // A character takes three bytes of UTF-8 at most, a pair of surrogates four.
    if ((this.#lengths[index] ?? 0) + line.length * 3 > GATHERED_BYTES) this.#write(index);
    const [buffer, file] = [this.#gathered[index], this.#files[index]];
    if (buffer === undefined || file === undefined) throw new RangeError(`there is no partition ${index}`);
    if (line.length * 3 > GATHERED_BYTES) writeAll(file, Buffer.from(line));
    else this.#lengths[index] = (this.#lengths[index] ?? 0) + buffer.write(line, this.#lengths[index] ?? 0);
  }

  /** Reads one partition, in the order in which its lines were added. */
  *lines(index: number): Generator<string> {
    this.#write(index);
    const file = this.#files[index];
    if (file === undefined) throw new RangeError(`there is no partition ${index}`);
    const buffer = Buffer.alloc(READ_BYTES);
    const decoder = new TextDecoder();
    let rest = '';
    let isWaiting = false;
    for (let place = 0; ;) {
      const read = readSync(file, buffer, 0, READ_BYTES, place);
      if (read === 0) return;
      place += read;
      const bytes = buffer.subarray(0, read);
      const text = isAscii(bytes) && !isWaiting ? bytes.toString('latin1') : decoder.decode(bytes, { stream: true });
      // The decoder may hold the first bytes of a character.
      isWaiting = (bytes.at(-1) ?? 0) > ASCII_MAX;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  /** Ends the files. */
  close(): void {
    for (const file of this.#files) closeSync(file);
  }

  #write(index: number): void {
    const [buffer, file, length] = [this.#gathered[index], this.#files[index], this.#lengths[index]];
    if (buffer === undefined || file === undefined || length === undefined || length === 0) return;
    writeAll(file, buffer.subarray(0, length));
    this.#lengths[index] = 0;
  }
}
