import type { Random } from '@app/kernel';

const UINT32 = 0x1_0000_0000;
const START = 0x811c9dc5;
const MULTIPLIER_A = 0x9e3779b1;
const MULTIPLIER_B = 0x85ebca6b;

interface Halves {
  readonly a: number;
  readonly b: number;
}

const afterText = (text: string, { a, b }: Halves): Halves => {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, MULTIPLIER_A);
    b = Math.imul(b ^ unit ^ (a >>> 15), MULTIPLIER_B);
  }
  return { a, b };
};

/** A well-mixed 32-bit number, so that neighbouring keys are independent. Never use it for secrets. */
const mixed = ({ a, b }: Halves): number => {
  a = Math.imul(a ^ (a >>> 16) ^ b, MULTIPLIER_B);
  b = Math.imul(b ^ (b >>> 13) ^ a, MULTIPLIER_A);
  return (a ^ (b >>> 16) ^ Math.imul(b, 31)) >>> 0;
};

class Draws {
  readonly #before: string;
  readonly #hashed: Halves[] = [];
  #count = 0;

  constructor(before: string) {
    this.#before = before;
  }

  next(): number {
    const count = String(this.#count++);
    const hashed = (this.#hashed[count.length] ??= afterText(this.#before, { a: START, b: this.#before.length + count.length }));
    return mixed(afterText(count, hashed));
  }

  /** In [0, 1). */
  fraction(): number {
    return this.next() / UINT32;
  }
}

/** The nth draw at a site for an entity depends only on the seed and these. Removing a fault changes no other draw, so failures shrink. */
export class KeyedChance {
  readonly #draws = new Map<string, Map<string, Draws>>();
  readonly #happened = new Map<string, number>();

  constructor(readonly seed: number) {}

  fraction(site: string, entity = ''): number {
    return this.#drawsOf(site, entity).fraction();
  }

  happens(share: number, site: string, entity = ''): boolean {
    const isSo = share > 0 && this.fraction(site, entity) < share;
    if (isSo) this.#happened.set(site, (this.#happened.get(site) ?? 0) + 1);
    return isSo;
  }

  get happened(): ReadonlyMap<string, number> {
    return this.#happened;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number, site: string, entity = ''): number {
    return min + Math.floor(this.fraction(site, entity) * (max - min + 1));
  }

  /**
   * @throws RangeError for an empty list
   */
  pick<Item>(items: readonly Item[], site: string, entity = ''): Item {
    const item = items[Math.floor(this.fraction(site, entity) * items.length)];
    if (item === undefined) throw new RangeError(`nothing to pick from at ${site}`);
    return item;
  }

  randomOf(entity: string): Random {
    const bytes = this.#drawsOf('bytes', entity);
    const fractions = this.#drawsOf('random', entity);
    return {
      bytes: (size) => {
        const drawn = new Uint8Array(size);
        for (let at = 0; at < size; at++) drawn[at] = bytes.next() & 0xff;
        return drawn;
      },
      fraction: () => fractions.fraction(),
    };
  }

  #drawsOf(site: string, entity: string): Draws {
    let ofSite = this.#draws.get(site);
    if (ofSite === undefined) {
      ofSite = new Map();
      this.#draws.set(site, ofSite);
    }
    let draws = ofSite.get(entity);
    if (draws === undefined) {
      draws = new Draws(`${this.seed}\u0000${site}\u0000${entity}\u0000`);
      ofSite.set(entity, draws);
    }
    return draws;
  }
}
