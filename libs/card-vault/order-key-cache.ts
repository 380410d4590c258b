import type { PlainOrderKey } from './order-key';
import type { OrderKeyId } from './port';

/** The order keys used last, unwrapped; the one unused for longest makes room. Cards are never kept so. */
export class OrderKeyCache {
  readonly #keys = new Map<OrderKeyId, PlainOrderKey>();
  readonly #keysMax: number;

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  get(id: OrderKeyId): PlainOrderKey | undefined {
    const key = this.#keys.get(id);
    if (key === undefined) return undefined;
    this.#keys.delete(id);
    this.#keys.set(id, key);
    return key;
  }

  put(key: PlainOrderKey): void {
    this.#keys.delete(key.id);
    this.#keys.set(key.id, key);
    if (this.#keys.size <= this.#keysMax) return;
    const [eldest] = this.#keys.keys();
    if (eldest !== undefined) this.#keys.delete(eldest); // not forgotten: an acceptance may still hold it
  }

  forget(id: OrderKeyId): void {
    this.#keys.get(id)?.forget();
    this.#keys.delete(id);
  }

  clear(): void {
    for (const key of this.#keys.values()) key.forget();
    this.#keys.clear();
  }

  get size(): number {
    return this.#keys.size;
  }
}
