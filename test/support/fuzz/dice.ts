import { seededRandom } from '@app/testing';

/** The same seed and number make the same choices, whatever was sent before. */
export class Dice {
  readonly #random;

  constructor(seed: number, number: number) {
    this.#random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  }

  below(limit: number): number {
    return Math.floor(this.#random.fraction() * limit);
  }

  chance(share: number): boolean {
    return this.#random.fraction() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  bytes(size: number): Buffer {
    return Buffer.from(this.#random.bytes(size));
  }
}
