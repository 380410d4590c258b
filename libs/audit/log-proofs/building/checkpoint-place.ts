import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpoint, type SignedCheckpoint } from '../checkpoints/checkpoint';
import { CheckpointHistory, type Unreadable } from '../checkpoints/checkpoint-history';
import { FolderFiles } from '../files/folder-files';
import { FILE_BYTES_MAX, type ProofFiles } from '../files/proof-files';

/** Somewhere that keeps every checkpoint of a log and can be read again: the log's neighbour, or a witness's directory. */
export interface CheckpointPlace {
  /** For messages. */
  readonly name: string;
  /** The newest that `isWanted`. */
  newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined>;
  /** Those at the end of what it holds; each is read when it is asked for. */
  newestFirst(): Promise<Iterable<SignedCheckpoint>>;
  add(checkpoint: SignedCheckpoint): Promise<void>;
  /** From the oldest to the newest, each once. */
  all(): AsyncIterable<SignedCheckpoint | Unreadable>;
}

/** The newest checkpoint alone, where C2SP tlog-tiles has it. */
const NEWEST_PATH = 'checkpoint';
const UNREADABLE_CHARACTERS_MAX = 200;

/** A history, and beside it the newest checkpoint in a file of its own. */
export class FilesPlace implements CheckpointPlace {
  readonly name: string;
  readonly #files: ProofFiles;
  readonly #history: CheckpointHistory;

  constructor(name: string, files: ProofFiles) {
    this.name = name;
    this.#files = files;
    this.#history = new CheckpointHistory(files);
  }

  async newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    const [inHistory, alone] = [await this.#history.newest(isWanted), await this.#alone()];
    if (alone === undefined || 'unreadable' in alone || !isWanted(alone)) return inHistory;
    return inHistory === undefined || alone.size > inHistory.size ? alone : inHistory;
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

  /** The newest in its own file: all that is left where the file of all of them is gone. */
  async #alone(): Promise<SignedCheckpoint | Unreadable | undefined> {
    const bytes = await this.#files.readPart(NEWEST_PATH, 0, FILE_BYTES_MAX);
    if (bytes === undefined) return undefined;
    const note = bytes.toString('utf8');
    return parseCheckpoint(note) ?? { unreadable: note.slice(0, UNREADABLE_CHARACTERS_MAX) };
  }
}

/** A witness that is a directory, best of another machine or another owner. It must be there: a mount that is missing is no place to write to. */
export class DirectoryWitness implements CheckpointPlace {
  readonly name: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.name = directory;
    this.#directory = directory;
  }

  async newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    return (await this.#place()).newest(isWanted);
  }

  async newestFirst(): Promise<Iterable<SignedCheckpoint>> {
    return (await this.#place()).newestFirst();
  }

  async add(checkpoint: SignedCheckpoint): Promise<void> {
    await (await this.#place()).add(checkpoint);
  }

  async *all(): AsyncGenerator<SignedCheckpoint | Unreadable, undefined> {
    yield* (await this.#place()).all();
    return undefined;
  }

  async #place(): Promise<FilesPlace> {
    if (!(await stat(this.#directory)).isDirectory()) throw new Error(`${this.#directory} is no directory`);
    return new FilesPlace(this.name, new FolderFiles(join(this.#directory, 'log-checkpoints')));
  }
}
