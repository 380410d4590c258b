import type { Random } from '@app/kernel';
import { IV_BYTES } from './envelope';

/** Asked of the source of chance at once: one call costs as much as a third of a sealing. */
const IVS_PER_DRAW = 256;

/** Random ivs, each given once: an order's key seals a handful of texts, far below where 96 random bits could meet again. */
export class Ivs {
  readonly #random: Random;
  #drawn: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Uint8Array {
    if (this.#used === this.#drawn.length) {
      this.#drawn = this.#random.bytes(IVS_PER_DRAW * IV_BYTES);
      this.#used = 0;
    }
    const iv = this.#drawn.subarray(this.#used, this.#used + IV_BYTES);
    this.#used += IV_BYTES;
    return iv;
  }
}
