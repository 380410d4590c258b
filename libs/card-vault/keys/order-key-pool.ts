import type { Deadline } from '@app/kernel';
import { KEY_BYTES } from './sealed-box';
import type { Ivs } from '../envelope/ivs';
import { orderKeyId, PlainOrderKey } from './order-key';
import { TIME_IS_OVER, VaultUnavailable } from '../port';
import type { OrderKeyBlock } from '../vault-store';

/** Keys made, wrapped and stored in one job of the writer, few enough not to delay a card behind it in the queue. */
const BLOCK_KEYS = 1_024;
const KEYS_AHEAD = 4_096;
const WAITING_MAX = 10_000;

export interface PoolSettings {
  /** Makes a block durable. @throws VaultUnavailable */
  readonly makeBlock: (count: number) => Promise<OrderKeyBlock>;
  readonly ivs: Ivs;
  /** Size of the stock, which is refilled when half of it is used. */
  readonly keysAhead?: number;
}

interface Waiting {
  readonly resolve: (key: PlainOrderKey) => void;
  readonly reject: (error: Error) => void;
}

/** A stock of durable order keys, so that an acceptance costs no second commit (architecture, rule 6). Each is issued once. */
export class OrderKeyPool {
  readonly #settings: PoolSettings;
  readonly #keysAhead: number;
  readonly #blockKeys: number;
  readonly #blocks: OrderKeyBlock[] = [];
  readonly #waiting = new Set<Waiting>();
  #used = 0; // of the first block
  #available = 0;
  #refilling: Promise<void> | undefined;
  #problem: Error | undefined;
  #isClosed = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#keysAhead = settings.keysAhead ?? KEYS_AHEAD;
    this.#blockKeys = Math.max(1, Math.min(BLOCK_KEYS, this.#keysAhead >> 1)); // half of the stock used leaves room for a block
  }

  /** Durable keys that wait to be used. */
  get available(): number {
    return this.#available;
  }

  /** The error of the last refill, until one succeeds. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Resolves when the first block is durable; the others follow in the background. @throws VaultUnavailable */
  async stock(): Promise<void> {
    await this.#addBlock();
    this.#refill();
  }

  /** Retries a failed refill, and returns the remaining problem. */
  async restock(): Promise<Error | undefined> {
    if (this.#problem !== undefined) {
      this.#refill();
      await this.#refilling;
    }
    return this.#problem;
  }

  /** Undefined where none is ready, which starts a refill. */
  takeNow(): PlainOrderKey | undefined {
    if (this.#isClosed) return undefined;
    const key = this.#next();
    if (this.#available * 2 <= this.#keysAhead) this.#refill();
    return key;
  }

  /** @param deadline once it has passed, the next key goes to another caller @throws VaultUnavailable */
  take(deadline?: Deadline): Promise<PlainOrderKey> {
    const key = this.takeNow();
    if (key !== undefined) return Promise.resolve(key);
    if (this.#isClosed) return Promise.reject(new VaultUnavailable('the vault is closed'));
    if (deadline?.isOver === true) return Promise.reject(new VaultUnavailable(TIME_IS_OVER));
    if (this.#waiting.size >= WAITING_MAX) return Promise.reject(new VaultUnavailable('too many orders wait for a key'));
    return new Promise((resolve, reject) => {
      const forget = deadline?.whenOver(() => {
        this.#waiting.delete(waiting);
        reject(new VaultUnavailable(TIME_IS_OVER));
      });
      const waiting: Waiting = {
        resolve: (ready) => {
          forget?.();
          resolve(ready);
        },
        reject: (error) => {
          forget?.();
          reject(error);
        },
      };
      this.#waiting.add(waiting);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseWaiting(new VaultUnavailable('the vault is closed'));
    await this.#refilling;
    for (const { keys } of this.#blocks) keys.fill(0);
    this.#blocks.length = 0;
    this.#available = 0;
  }

  #next(): PlainOrderKey | undefined {
    const block = this.#blocks[0];
    if (block === undefined) return undefined;
    const position = this.#used++;
    this.#available--;
    if (this.#used * KEY_BYTES === block.keys.length) {
      this.#blocks.shift();
      this.#used = 0;
    }
    // The key is copied, because a slice would keep the whole block in memory.
    const bytes = Uint8Array.prototype.slice.call(block.keys, position * KEY_BYTES, (position + 1) * KEY_BYTES);
    block.keys.fill(0, position * KEY_BYTES, (position + 1) * KEY_BYTES);
    return new PlainOrderKey(orderKeyId(block.id, position), bytes, this.#settings.ivs);
  }

  #refill(): void {
    if (this.#refilling === undefined && this.#isShort()) this.#refilling = this.#fill();
  }

  #isShort(): boolean {
    return !this.#isClosed && (this.#waiting.size > 0 || this.#available + this.#blockKeys <= this.#keysAhead);
  }

  async #fill(): Promise<void> {
    try {
      while (this.#isShort()) {
        await this.#addBlock();
        this.#serveWaiting();
      }
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
      this.#refuseWaiting(this.#problem);
    } finally {
      this.#refilling = undefined; // in the same turn as the last look: who begins to wait after it starts the next refill
    }
  }

  async #addBlock(): Promise<void> {
    const block = await this.#settings.makeBlock(this.#blockKeys);
    this.#blocks.push(block);
    this.#available += block.keys.length / KEY_BYTES;
    this.#problem = undefined;
  }

  #serveWaiting(): void {
    for (const waiting of this.#waiting) {
      const key = this.#next();
      if (key === undefined) return;
      this.#waiting.delete(waiting);
      waiting.resolve(key);
    }
  }

  #refuseWaiting(error: Error): void {
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const { reject } of refused) reject(error);
  }
}
