import { trimmed } from '../../shared/white-space';

/** The parameters of one request, each once. Kept in a Map: a parameter may be named `__proto__` (safety, T25). */
export class Form implements Iterable<readonly [name: string, raw: string]> {
  readonly #raw: ReadonlyMap<string, string>;

  /** Keeps the given map. Input from the network goes through `parseForm`. */
  constructor(raw: ReadonlyMap<string, string>) {
    this.#raw = raw;
  }

  /** Made by a client of pairs with different names. */
  static of(pairs: Iterable<readonly [name: string, raw: string]>): Form {
    return new Form(new Map(pairs));
  }

  /** As decoded, white space included: OAuth signs this (protocol decisions, section 4). */
  raw(name: string): string | undefined {
    return this.#raw.get(name);
  }

  /** Without white space at its ends; empty where it is absent, as in a control string (protocol decisions, section 4). */
  text(name: string): string {
    const raw = this.#raw.get(name);
    return raw === undefined ? '' : trimmed(raw);
  }

  [Symbol.iterator](): IterableIterator<[name: string, raw: string]> {
    return this.#raw[Symbol.iterator]();
  }
}
