import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SignedCheckpoint } from '../checkpoints/checkpoint';
import { CheckpointHistory, type Unreadable } from '../checkpoints/checkpoint-history';
import { FolderFiles } from '../files/folder-files';
import type { ProofFiles } from '../files/proof-files';

/** Somewhere that keeps every checkpoint of a log and can be read again: the log's neighbour, or a witness's directory. */
export interface CheckpointPlace {
  /** For messages. */
  readonly name: string;
  /** The newest that `isWanted`. */
  newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined>;
  add(checkpoint: SignedCheckpoint): Promise<void>;
  all(): AsyncIterable<SignedCheckpoint | Unreadable>;
}

/** The newest checkpoint alone, where C2SP tlog-tiles has it. */
const NEWEST_PATH = 'checkpoint';

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

  newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    return this.#history.newest(isWanted);
  }

  async add(checkpoint: SignedCheckpoint): Promise<void> {
    await this.#history.add(checkpoint);
    await this.#files.write(NEWEST_PATH, Buffer.from(checkpoint.note));
  }

  all(): AsyncIterable<SignedCheckpoint | Unreadable> {
    return this.#history.all();
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
