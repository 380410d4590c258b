import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ProofFiles {
  read(path: string): Promise<Buffer | undefined>;
  /** At most `length` bytes from `offset`; undefined if there is no such file, fewer at its end. */
  readPart(path: string, offset: number, length: number): Promise<Buffer | undefined>;
  size(path: string): Promise<number | undefined>;
  /** Atomic: after a crash the file has the old or the new content. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Appends or creates. Resolves when it is on disk; a crash may leave a part. */
  append(path: string, content: Uint8Array): Promise<void>;
  truncate(path: string, length: number): Promise<void>;
  remove(path: string): Promise<void>;
}

export const FILE_BYTES_MAX = 1_048_576;

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const orMissing = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const using = async <Result>(handle: FileHandle, work: (handle: FileHandle) => Promise<Result>): Promise<Result> => {
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
};

/** Files of a folder, which is created with the first file, accessible only to its owner. */
export class FolderFiles implements ProofFiles {
  readonly #made = new Set<string>();
  readonly #folder: string;
  readonly #above: string | undefined;

  /** @param above a directory that every operation expects to exist */
  constructor(folder: string, above?: string) {
    this.#folder = folder;
    this.#above = above;
  }

  async read(path: string): Promise<Buffer | undefined> {
    const size = await this.size(path);
    if (size === undefined) return undefined;
    if (size > FILE_BYTES_MAX) throw new Error(`${join(this.#folder, path)}: a file of more than ${FILE_BYTES_MAX} bytes`);
    return this.readPart(path, 0, size);
  }

  readPart(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    return this.#reading(async () =>
      using(await open(join(this.#folder, path), constants.O_RDONLY | constants.O_NONBLOCK), async (handle) => {
        const bytes = Buffer.alloc(length);
        let filled = 0;
        for (let read = -1; read !== 0 && filled < length; filled += read) {
          ({ bytesRead: read } = await handle.read(bytes, filled, length - filled, offset + filled));
        }
        return bytes.subarray(0, filled);
      }),
    );
  }

  async size(path: string): Promise<number | undefined> {
    const found = await this.#reading(() => stat(join(this.#folder, path)));
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Error(`${join(this.#folder, path)}: no regular file`);
    return found.size;
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const target = join(this.#folder, path);
    await this.#makeFolderOf(target);
    // A fixed name, so that crashes leave at most one file behind.
    const unfinished = `${target}.unfinished`;
    await using(await open(unfinished, 'w', FILE_MODE), async (handle) => {
      await handle.writeFile(content);
      await handle.datasync();
    });
    await rename(unfinished, target);
    // A tile lost in a power cut is rebuilt from the log; top-level files cannot be.
    if (!path.includes('/')) await this.#syncFolder();
  }

  async append(path: string, content: Uint8Array): Promise<void> {
    const target = join(this.#folder, path);
    await this.#makeFolderOf(target);
    const isNew = (await this.size(path)) === undefined;
    await using(await open(target, 'a', FILE_MODE), async (handle) => {
      await handle.writeFile(content);
      await handle.datasync();
    });
    if (isNew) await this.#syncFolder();
  }

  async truncate(path: string, length: number): Promise<void> {
    await using(await open(join(this.#folder, path), 'r+'), async (handle) => {
      await handle.truncate(length);
      await handle.datasync();
    });
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#folder, path), { force: true });
  }

  /** Makes a rename survive a power cut. Windows cannot open folders and does not need it. */
  async #syncFolder(): Promise<void> {
    if (process.platform !== 'win32') await using(await open(this.#folder, constants.O_RDONLY), (handle) => handle.sync());
  }

  async #reading<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    await this.#assertAbove();
    return orMissing(work);
  }

  async #assertAbove(): Promise<void> {
    if (this.#above !== undefined && !(await stat(this.#above)).isDirectory()) throw new Error(`${this.#above} is no directory`);
  }

  async #makeFolderOf(path: string): Promise<void> {
    await this.#assertAbove();
    const folder = dirname(path);
    if (this.#made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    this.#made.add(folder);
  }
}
