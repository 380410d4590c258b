/** Keeps the most recently used entries, because a log has more streams than fit into memory. */
export class RecentMap<Key, Value> {
  readonly #entriesMax: number;
  readonly #entries = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#entriesMax) return;
    const [eldest] = this.#entries.keys();
    if (eldest !== undefined) this.#entries.delete(eldest);
  }
}
