import type { Random } from '@app/kernel';
import { IV_BYTES } from '../keys/sealed-box';

/** Random bytes are drawn in bulk, because each call costs a third of a sealing. */
const IVS_PER_DRAW = 256;

/** Random ivs. An order's key seals so few texts that 96 random bits do not repeat. */
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
