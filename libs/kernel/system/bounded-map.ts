/** A map of at most `entriesMax` entries. Setting an entry makes it the newest; the oldest is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    super();
    this.#entriesMax = entriesMax;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#entriesMax) this.delete(this.keys().next().value as Key);
    return this;
  }
}
