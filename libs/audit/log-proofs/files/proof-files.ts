/** The files of the tree and of its checkpoints, by paths with `/` relative to their folder. */
export interface ProofFiles {
  /** Undefined where there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** At most `length` bytes from `offset` on; undefined where there is no such file, fewer at its end. */
  readPart(path: string, offset: number, length: number): Promise<Buffer | undefined>;
  /** Bytes of the file; undefined where there is none. */
  size(path: string): Promise<number | undefined>;
  /** Makes or replaces the file: after a crash at any moment it is the old one or the new one, whole. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Adds to the end of the file, or makes it. Resolves when the disk has it; after a crash a part of it may be there. */
  append(path: string, content: Uint8Array): Promise<void>;
  /** Cuts the file off after so many bytes. */
  truncate(path: string, length: number): Promise<void>;
  /** Succeeds where there is no such file. */
  remove(path: string): Promise<void>;
}

/** A file larger than this is none of the tree's: it is not read into memory. */
export const FILE_BYTES_MAX = 1_048_576;
