import { BoundedMap, type Clock, type Instant } from '@app/kernel';
import type { PlainOrderKey } from './order-key';
import type { OrderKeyId } from '../port';

/** A key that another process erased is dropped here after this time. */
export const CACHED_ORDER_KEY_MS = 60_000;

interface Cached {
  readonly key: PlainOrderKey;
  readonly since: Instant;
}

/** Caches the recently used order keys, unwrapped, for a minute each; the least recently used is dropped first. Cards are never cached. */
export class OrderKeyCache {
  readonly #cached: BoundedMap<OrderKeyId, Cached>;
  readonly #clock: Clock;

  constructor(keysMax: number, clock: Clock) {
    // A key that is dropped is not forgotten: an acceptance may still hold it.
    this.#cached = new BoundedMap(keysMax);
    this.#clock = clock;
  }

  get(id: OrderKeyId): PlainOrderKey | undefined {
    const cached = this.#cached.get(id);
    if (cached === undefined) return undefined;
    this.#cached.delete(id);
    const ageMs = this.#clock.now() - cached.since;
    if (ageMs < 0 || ageMs >= CACHED_ORDER_KEY_MS) return undefined; // a clock that was put back must not lengthen its life
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
