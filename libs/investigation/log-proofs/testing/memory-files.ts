import type { ProofFiles } from '../proof-files';

export class Killed extends Error {
  override readonly name = 'Killed';
}

/** In-memory files with crashes: after `killAfter(n)`, the n-th change is lost or half appended, and all operations fail until `revive()`. */
export class MemoryFiles implements ProofFiles {
  readonly files = new Map<string, Buffer>();
  #changesLeft = Infinity;
  #isKilled = false;
  changes = 0;

  killAfter(changes: number): void {
    this.#changesLeft = changes;
  }

  revive(): void {
    this.#changesLeft = Infinity;
    this.#isKilled = false;
  }

  async read(path: string): Promise<Buffer | undefined> {
    this.#assertAlive();
    const bytes = this.files.get(path);
    return Promise.resolve(bytes === undefined ? undefined : Buffer.from(bytes));
  }

  async readPart(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    return (await this.read(path))?.subarray(offset, offset + length);
  }

  async size(path: string): Promise<number | undefined> {
    return (await this.read(path))?.length;
  }

  write(path: string, content: Uint8Array): Promise<void> {
    return this.#change(() => this.files.set(path, Buffer.from(content)));
  }

  append(path: string, content: Uint8Array): Promise<void> {
    const before = this.files.get(path) ?? Buffer.alloc(0);
    return this.#change(
      () => this.files.set(path, Buffer.concat([before, content])),
      () => this.files.set(path, Buffer.concat([before, content.subarray(0, content.length >> 1)])),
    );
  }

  truncate(path: string, length: number): Promise<void> {
    return this.#change(() => this.files.set(path, Buffer.from((this.files.get(path) ?? Buffer.alloc(0)).subarray(0, length))));
  }

  remove(path: string): Promise<void> {
    return this.#change(() => this.files.delete(path));
  }

  async #change(make: () => void, makeHalf: () => void = () => undefined): Promise<void> {
    this.#assertAlive();
    this.#changesLeft -= 1;
    if (this.#changesLeft < 0) {
      makeHalf();
      this.#isKilled = true;
      throw new Killed('killed');
    }
    make();
    this.changes += 1;
  }

  #assertAlive(): void {
    if (this.#isKilled) throw new Killed('killed before');
  }
}
