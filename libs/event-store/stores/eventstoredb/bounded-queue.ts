export interface QueueBounds {
  readonly itemsMax: number;
  readonly unitsMax: number;
  readonly onFull: () => void;
  readonly onRoom: () => void;
}

interface ConditionWait<Item> {
  readonly resolve: (item: Item | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class BoundedQueue<Item> {
  readonly #bounds: QueueBounds;
  #items: { readonly item: Item; readonly units: number }[] = [];
  #taken = 0;
  #units = 0;
  #isFull = false;
  #waiter: ConditionWait<Item> | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** @param units the item's size, in the units of `unitsMax` */
  push(item: Item, units: number): void {
    if (this.#end !== undefined) return;
    const waiter = this.#waiter;
    if (waiter !== undefined) {
      this.#waiter = undefined;
      waiter.resolve(item);
      return;
    }
    this.#items.push({ item, units });
    this.#units += units;
    if (this.#isFull || (this.length < this.#bounds.itemsMax && this.#units < this.#bounds.unitsMax)) return;
    this.#isFull = true;
    this.#bounds.onFull();
  }

  /** The next item, or undefined at the end. Rejects with the failure after all items before it. One caller at a time. */
  next(): Promise<Item | undefined> {
    const entry = this.#items[this.#taken];
    if (entry !== undefined) {
      this.#take(entry.units);
      return Promise.resolve(entry.item);
    }
    if (this.#end?.error !== undefined) return Promise.reject(this.#end.error);
    if (this.#end !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => (this.#waiter = { resolve, reject }));
  }

  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (error === undefined) waiter?.resolve(undefined);
    else waiter?.reject(error);
  }

  drop(): void {
    this.#items = [];
    this.#taken = 0;
    this.#units = 0;
    this.end();
    this.#end = { error: undefined };
  }

  #take(units: number): void {
    this.#taken += 1;
    this.#units -= units;
    if (this.#taken === this.#items.length || this.#taken > this.#bounds.itemsMax) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    if (!this.#isFull || this.length > this.#bounds.itemsMax / 2 || this.#units > this.#bounds.unitsMax / 2) return;
    this.#isFull = false;
    this.#bounds.onRoom();
  }
}
