import { readCheckpoint, readLogKey, type Checkpoint, type LogKey } from '@app/proofs';

/** The part of `localStorage` that is used. */
interface TextStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

const KEY = 'console.log.key';
const CHECKPOINT = 'console.log.checkpoint';

/** What this browser trusts: the log's public key that a person pasted, and the newest checkpoint that held under it. */
export class ProofMemory {
  constructor(private readonly store: TextStore) {}

  key(): LogKey | undefined {
    return readLogKey(this.store.getItem(KEY) ?? '');
  }

  /** Undefined if the text is no key. Another key than before forgets the checkpoint, which it did not sign. */
  trust(text: string): LogKey | undefined {
    const key = readLogKey(text);
    if (key === undefined) return undefined;
    if (key.publicKey !== this.key()?.publicKey) this.store.removeItem(CHECKPOINT);
    this.store.setItem(KEY, key.text);
    return key;
  }

  forget(): void {
    this.store.removeItem(KEY);
    this.store.removeItem(CHECKPOINT);
  }

  /** Undefined also if the trusted key did not sign what is stored. */
  checkpoint(): Checkpoint | undefined {
    const checkpoint = readCheckpoint(this.store.getItem(CHECKPOINT) ?? '');
    return checkpoint !== undefined && this.key()?.hasSigned(checkpoint.note, checkpoint.origin) === true ? checkpoint : undefined;
  }

  /** Keeps the larger checkpoint. Call it only after its continuity was checked. */
  saw(checkpoint: Checkpoint): void {
    if (checkpoint.size >= (this.checkpoint()?.size ?? 0) && this.key()?.hasSigned(checkpoint.note, checkpoint.origin) === true)
      this.store.setItem(CHECKPOINT, checkpoint.note);
  }
}
