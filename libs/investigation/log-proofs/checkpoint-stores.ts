import { join } from 'node:path';
import { NOTE_CHARACTERS_MAX, parseCheckpoint, type SignedCheckpoint } from './checkpoint';
import { FILE_BYTES_MAX, FolderFiles, type ProofFiles } from './proof-files';

const PART_BYTES = 262_144;
/** The newest checkpoint is searched in the last bytes of the file. */
const TAIL_BYTES = 262_144;
const SEPARATOR = '\n\n\n';
const HISTORY_PATH = 'checkpoints';

interface Unreadable {
  readonly unreadable: string;
}

export interface CheckpointPage {
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly next?: number;
}

/** All checkpoints of a log in one append-only file; two empty lines follow each note. */
export class CheckpointHistory {
  readonly #files: ProofFiles;
  #isEndKnown = false;

  constructor(files: ProofFiles) {
    this.#files = files;
  }

  /** Resolves when it is on disk. First removes an unfinished note of a crash, which was never sent. */
  async add({ note }: SignedCheckpoint): Promise<void> {
    if (!this.#isEndKnown) await this.#removeUnfinished();
    this.#isEndKnown = false;
    await this.#files.append(HISTORY_PATH, Buffer.from(`${note}\n\n`));
    this.#isEndKnown = true;
  }

  async newestFirst(): Promise<Iterable<SignedCheckpoint>> {
    const size = (await this.#files.size(HISTORY_PATH)) ?? 0;
    const from = Math.max(0, size - TAIL_BYTES);
    const tail = (await this.#files.readPart(HISTORY_PATH, from, TAIL_BYTES)) ?? Buffer.alloc(0);
    const notes = tail.toString('utf8').split(SEPARATOR).slice(0, -1).reverse();
    return (function* () {
      for (const note of notes) {
        const checkpoint = parseCheckpoint(`${note}\n`);
        if (checkpoint !== undefined) yield checkpoint;
      }
    })();
  }

  /** Oldest matching checkpoint with at least this size. Sizes only grow, so the history is bisected. */
  async oldest(size: number, isWanted: (checkpoint: SignedCheckpoint) => boolean = () => true): Promise<SignedCheckpoint | undefined> {
    for await (const one of this.#after(await this.#offsetBefore(size)))
      if (!('unreadable' in one) && one.size >= size && isWanted(one)) return one;
    return undefined;
  }

  /** The checkpoint of exactly this size. */
  async ofSize(size: number, isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    for await (const one of this.#after(await this.#offsetBefore(size))) {
      if ('unreadable' in one || one.size < size) continue;
      if (one.size > size) return undefined;
      if (isWanted(one)) return one;
    }
    return undefined;
  }

  /**
   * A page, newest first.
   * @param before the `next` of the previous page: the history only grows, so it is a number of bytes
   * @returns undefined if a page cannot begin there
   */
  async page(limit: number, before?: number): Promise<CheckpointPage | undefined> {
    const end = before ?? (await this.#files.size(HISTORY_PATH)) ?? 0;
    const from = Math.max(0, end - PART_BYTES);
    const part = (await this.#files.readPart(HISTORY_PATH, from, end - from)) ?? Buffer.alloc(0);
    let last = part.lastIndexOf(SEPARATOR);
    if (before !== undefined && (end === 0 || part.length < end - from || last !== part.length - SEPARATOR.length)) return undefined;
    const checkpoints: SignedCheckpoint[] = [];
    let next = 0;
    while (last >= 0 && checkpoints.length < limit) {
      const previous = last === 0 ? -1 : part.lastIndexOf(SEPARATOR, last - 1);
      // Cut off by the part's beginning: the next page contains it.
      if (previous < 0 && from > 0) break;
      const start = previous < 0 ? 0 : previous + SEPARATOR.length;
      const checkpoint = parseCheckpoint(`${part.toString('utf8', start, last)}\n`);
      if (checkpoint !== undefined) checkpoints.push(checkpoint);
      next = from + start;
      last = previous;
    }
    return { checkpoints, ...(next > 0 && { next }) };
  }

  /** All in order, read in parts. An unfinished end is skipped. */
  all(): AsyncGenerator<SignedCheckpoint | Unreadable, undefined> {
    return this.#after(0);
  }

  async #offsetBefore(size: number): Promise<number> {
    let [low, high] = [0, (await this.#files.size(HISTORY_PATH)) ?? 0];
    while (high - low > PART_BYTES) {
      const middle = Math.floor((low + high) / 2);
      const first = await this.#firstAfter(middle);
      if (first === undefined || first.checkpoint.size >= size) high = middle;
      else low = first.offset;
    }
    return low;
  }

  async #firstAfter(offset: number): Promise<{ readonly checkpoint: SignedCheckpoint; readonly offset: number } | undefined> {
    const part = (await this.#files.readPart(HISTORY_PATH, offset, PART_BYTES)) ?? Buffer.alloc(0);
    for (let start = part.indexOf(SEPARATOR); start >= 0;) {
      const from = start + SEPARATOR.length;
      const end = part.indexOf(SEPARATOR, from);
      if (end < 0) return undefined;
      const checkpoint = parseCheckpoint(`${part.toString('utf8', from, end)}\n`);
      if (checkpoint !== undefined) return { checkpoint, offset: offset + from };
      start = end;
    }
    return undefined;
  }

  async *#after(start: number): AsyncGenerator<SignedCheckpoint | Unreadable, undefined> {
    let waiting = '';
    const decoder = new TextDecoder();
    for (let offset = start; ;) {
      const part = await this.#files.readPart(HISTORY_PATH, offset, PART_BYTES);
      if (part === undefined || part.length === 0) return undefined;
      offset += part.length;
      const notes = `${waiting}${decoder.decode(part, { stream: true })}`.split(SEPARATOR);
      waiting = notes.pop() ?? '';
      for (const note of notes) yield parseCheckpoint(`${note}\n`) ?? { unreadable: note.slice(0, 200) };
      if (waiting.length > 2 * NOTE_CHARACTERS_MAX) {
        yield { unreadable: waiting.slice(0, 200) };
        return undefined;
      }
    }
  }

  async #removeUnfinished(): Promise<void> {
    const size = (await this.#files.size(HISTORY_PATH)) ?? 0;
    const from = Math.max(0, size - TAIL_BYTES);
    const tail = (await this.#files.readPart(HISTORY_PATH, from, TAIL_BYTES)) ?? Buffer.alloc(0);
    const end = tail.lastIndexOf(SEPARATOR);
    const whole = end < 0 ? (from === 0 ? 0 : size) : from + end + SEPARATOR.length;
    if (whole < size) await this.#files.truncate(HISTORY_PATH, whole);
  }
}

export interface FoundCheckpoint {
  readonly checkpoint: SignedCheckpoint;
  readonly place: string;
}

/** Only the newest checkpoint, at the path of C2SP tlog-tiles. */
const NEWEST_PATH = 'checkpoint';
const UNREADABLE_CHARACTERS_MAX = 200;

/** Every checkpoint of a log, in the log's own folder or in a witness's. */
export class CheckpointStore {
  readonly name: string;
  readonly #files: ProofFiles;
  readonly #history: CheckpointHistory;

  constructor(name: string, files: ProofFiles) {
    this.name = name;
    this.#files = files;
    this.#history = new CheckpointHistory(files);
  }

  /** The `checkpoint` file and the end of the history may differ after a crash, and either may be the newer. */
  async newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    let newest: SignedCheckpoint | undefined;
    for (const one of await this.newestFirst()) {
      if (newest !== undefined && one.size <= newest.size) return newest;
      if (isWanted(one)) newest = one;
    }
    return newest;
  }

  async newestFirst(): Promise<Iterable<SignedCheckpoint>> {
    const [history, alone] = [await this.#history.newestFirst(), await this.#alone()];
    return (function* () {
      if (alone !== undefined && !('unreadable' in alone)) yield alone;
      yield* history;
    })();
  }

  async add(checkpoint: SignedCheckpoint): Promise<void> {
    await this.#history.add(checkpoint);
    await this.#files.write(NEWEST_PATH, Buffer.from(checkpoint.note));
  }

  async *all(): AsyncGenerator<SignedCheckpoint | Unreadable, undefined> {
    let alone = await this.#alone();
    for await (const one of this.#history.all()) {
      if (alone !== undefined && 'note' in one && 'note' in alone && one.note === alone.note) alone = undefined;
      yield one;
    }
    if (alone !== undefined) yield alone;
    return undefined;
  }

  async #alone(): Promise<SignedCheckpoint | Unreadable | undefined> {
    const bytes = await this.#files.readPart(NEWEST_PATH, 0, FILE_BYTES_MAX);
    if (bytes === undefined) return undefined;
    const note = bytes.toString('utf8');
    return parseCheckpoint(note) ?? { unreadable: note.slice(0, UNREADABLE_CHARACTERS_MAX) };
  }
}

/** A witness's directory, preferably on another machine or of another owner. It must exist: writing below a missing mount point would be useless. */
export const witnessAt = (directory: string): CheckpointStore =>
  new CheckpointStore(directory, new FolderFiles(join(directory, 'log-checkpoints'), directory));
