import { randomBytes, randomFillSync, type KeyObject } from 'node:crypto';
import { type MerchantLogin, type Sealed, BoundedMap, type Clock, type Instant, type Deadline } from '@app/kernel';
import { BOX_OVERHEAD_BYTES, SealedBoxRefused, KEY_BYTES, open, seal, IV_BYTES, type Ivs, lp } from './sealed-box';
import type { KekId } from './key-ring';
import { type OrderKey, type OrderKeyId, TIME_IS_OVER, VaultUnavailable } from '../port';
import type { OrderKeyBlock } from '../vault-store';

/** Wrapped key, or zeros of the same length after erasure. */
export const WRAPPED_ORDER_KEY_BYTES = KEY_BYTES + BOX_OVERHEAD_BYTES;

/** Part of each key id is random. A vault restored from an older copy then never issues an id that the log already contains. */
const BLOCK_ID_BYTES = 12;
const POSITION_BYTES = 3;
const KEY_ID = /^[A-Za-z0-9_-]{20}$/;

export const orderKeyId = (block: Uint8Array, position: number): OrderKeyId => {
  const id = Buffer.alloc(BLOCK_ID_BYTES + POSITION_BYTES);
  id.set(block);
  id.writeUIntBE(position, BLOCK_ID_BYTES, POSITION_BYTES);
  return id.toString('base64url') as OrderKeyId;
};

export const orderKeyPlace = (id: OrderKeyId, kekId: KekId): Buffer => lp(['order-dek', 'v1', id, String(kekId)]);

const sealedPlace = (merchant: MerchantLogin, id: OrderKeyId, field: string): Buffer => lp(['sealed', 'v1', merchant, id, field]);

const SEALED_VERSION = 'v1';
const SEPARATOR = '.';

interface SealedParts {
  readonly id: OrderKeyId;
  readonly box: Buffer;
}

/** `v1.<key id>.<iv, ciphertext and tag in base64url>`. @throws SealedBoxRefused */
export const readSealed = (sealed: Sealed): SealedParts => {
  const [version, id = '', box = '', ...more] = sealed.split(SEPARATOR);
  if (version !== SEALED_VERSION || more.length > 0 || !KEY_ID.test(id)) throw new SealedBoxRefused('not a sealed text');
  return { id: id as OrderKeyId, box: Buffer.from(box, 'base64url') };
};

export const orderKeyOf = (sealed: Sealed): OrderKeyId => readSealed(sealed).id;

/** An unwrapped order key, whose bytes are in no property and no printed form. */
export class PlainOrderKey implements OrderKey {
  readonly id: OrderKeyId;
  readonly #ivs: Ivs;
  #bytes: Uint8Array | undefined;

  constructor(id: OrderKeyId, bytes: Uint8Array, ivs: Ivs) {
    this.id = id;
    this.#bytes = bytes;
    this.#ivs = ivs;
  }

  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed {
    const box = seal(this.#key(), this.#ivs.next(), Buffer.from(plaintext, 'utf8'), sealedPlace(merchant, this.id, field));
    return `${SEALED_VERSION}${SEPARATOR}${this.id}${SEPARATOR}${box.toString('base64url')}` as Sealed;
  }

  /** @throws SealedBoxRefused if it was sealed for another merchant, key or field */
  unseal(merchant: MerchantLogin, field: string, box: Buffer): string {
    return open(this.#key(), box, sealedPlace(merchant, this.id, field)).toString('utf8');
  }

  /** Overwrites the key. Later use is refused, because zeros would work as a key too. */
  forget(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  #key(): Uint8Array {
    if (this.#bytes === undefined) throw new Error(`order key ${this.id} was erased`);
    return this.#bytes;
  }
}

interface WrappedOrderKey {
  readonly id: OrderKeyId;
  readonly wrapped: Buffer;
}

/** The block id has 96 random bits, so that no other process or run has the same ids. */
export const drawOrderKeys = (count: number): OrderKeyBlock => {
  const keys = new Uint8Array(count * KEY_BYTES);
  randomFillSync(keys);
  return { id: new Uint8Array(randomBytes(BLOCK_ID_BYTES)), keys };
};

/** Yields key by key, for callers that wrap them on a busy thread. */
export function* wrapOrderKeys({ id: block, keys }: OrderKeyBlock, kekId: KekId, kek: KeyObject): Generator<WrappedOrderKey> {
  const count = keys.length / KEY_BYTES;
  const ivs = randomBytes(count * IV_BYTES);
  for (let position = 0; position < count; position++) {
    const id = orderKeyId(block, position);
    const iv = ivs.subarray(position * IV_BYTES, (position + 1) * IV_BYTES);
    const key = keys.subarray(position * KEY_BYTES, (position + 1) * KEY_BYTES);
    yield { id, wrapped: seal(kek, iv, key, orderKeyPlace(id, kekId)) };
  }
}

/** Maximum time for which a key that another process erased stays cached. */
export const CACHED_ORDER_KEY_MS = 60_000;

interface Cached {
  readonly key: PlainOrderKey;
  readonly since: Instant;
}

export class OrderKeyCache {
  readonly #cached: BoundedMap<OrderKeyId, Cached>;
  readonly #clock: Clock;

  constructor(keysMax: number, clock: Clock) {
    // Evicted keys are not overwritten: an acceptance may still use one.
    this.#cached = new BoundedMap(keysMax);
    this.#clock = clock;
  }

  get(id: OrderKeyId): PlainOrderKey | undefined {
    const cached = this.#cached.get(id);
    if (cached === undefined) return undefined;
    this.#cached.delete(id);
    const ageMs = this.#clock.now() - cached.since;
    if (ageMs < 0 || ageMs >= CACHED_ORDER_KEY_MS) return undefined; // a clock that was put back must not extend the lifetime
    this.#cached.set(id, cached);
    return cached.key;
  }

  put(key: PlainOrderKey): void {
    this.#cached.set(key.id, { key, since: this.#clock.now() });
  }

  forget(id: OrderKeyId): void {
    this.#cached.get(id)?.key.forget();
    this.#cached.delete(id);
  }

  clear(): void {
    for (const { key } of this.#cached.values()) key.forget();
    this.#cached.clear();
  }

  get size(): number {
    return this.#cached.size;
  }
}

/** Keys made and stored in one writer job; few enough not to delay a card behind it in the queue. */
const BLOCK_KEYS = 1_024;
const KEYS_AHEAD = 4_096;
const WAITING_MAX = 10_000;

interface PoolSettings {
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

/** Stock of durable order keys, so that an acceptance needs no second commit (architecture, rule 6). Each is issued once. */
export class OrderKeyPool {
  readonly #settings: PoolSettings;
  readonly #keysAhead: number;
  readonly #blockKeys: number;
  readonly #blocks: OrderKeyBlock[] = [];
  readonly #waiting = new Set<Waiting>();
  #used = 0;
  #available = 0;
  #refilling: Promise<void> | undefined;
  #problem: Error | undefined;
  #isClosed = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#keysAhead = settings.keysAhead ?? KEYS_AHEAD;
    this.#blockKeys = Math.max(1, Math.min(BLOCK_KEYS, this.#keysAhead >> 1)); // half of the stock used leaves room for a block
  }

  get available(): number {
    return this.#available;
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Resolves when the first block is durable; the others follow in the background. @throws VaultUnavailable */
  async stock(): Promise<void> {
    await this.#addBlock();
    this.#refill();
  }

  async restock(): Promise<Error | undefined> {
    if (this.#problem !== undefined) {
      this.#refill();
      await this.#refilling;
    }
    return this.#problem;
  }

  /** Undefined if the stock is empty; then starts a refill. */
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
    // Copied, because a slice would keep the whole block in memory.
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
      this.#refilling = undefined; // in the same tick as the last check, so that a later waiter starts the next refill
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
