import { KeyedMutex, type Clock, type OrderId } from '@app/kernel';
import {
  appendKnown,
  assertChained,
  hashOf,
  lastAfter,
  StoreUnavailable,
  type Envelope,
  type EventStore,
  type Last,
  type Revision,
  type StreamName,
} from '@app/event-store';
import type { OrderCounted } from '../../domain';
import { velocityCodec } from '../../events/screening.codec';

const HOUR_MS = 3_600_000;
/** Rounds against other processes; within this one the orders of a stream are sequential (safety, F15). */
const ROUNDS_MAX = 20;
const WINDOWS_MAX = 4_000;
/** Entries kept over all windows; a larger window is read again each time. */
const ENTRIES_MAX = 200_000;

interface Window {
  readonly last: Last;
  readonly entries: readonly OrderCounted['data'][];
}

export interface CountedOrder {
  readonly orderId: OrderId;
  readonly envelope: Envelope;
}

const NOTHING: Window = { last: 'no_stream', entries: [] };

/**
 * Counts each order that was let through once, by exact revision: the limit holds over all processes and concurrent orders (safety, T35). Stopped
 * orders do not count, so the newest `count` events are enough.
 */
export class Velocity {
  /** By stream and limit, because two limits may need different lengths of history. */
  readonly #windows = new Map<string, Window>();
  readonly #mutex = new KeyedMutex();
  #entries = 0;

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Earlier orders in the limit's time; if below `count`, this order is counted too, durably. Idempotent per order.
   * @throws StoreUnavailable, OutcomeUnknown: when repeated, the order is counted once
   */
  countOf(stream: StreamName, limit: { readonly count: number; readonly hours: number }, order: CountedOrder): Promise<number> {
    return this.#mutex.take(stream, () => this.#count(stream, limit, order));
  }

  async #count(
    stream: StreamName,
    { count, hours }: { readonly count: number; readonly hours: number },
    order: CountedOrder,
  ): Promise<number> {
    const name = `${stream} ${count} ${hours}`;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const now = this.clock.now();
      const window = this.#windows.get(name) ?? NOTHING;
      const recent = window.entries.filter(({ countedAt }) => countedAt > now - hours * HOUR_MS);
      const own = recent.findIndex(({ orderId }) => orderId === order.orderId);
      if (own >= 0) return own;
      if (recent.length >= count) return recent.length;
      const data = { orderId: order.orderId, countedAt: now };
      const encoded = velocityCodec.encode([{ type: 'OrderCounted', data }], stream, window.last, order.envelope);
      const answer = await appendKnown(this.store, stream, window.last === 'no_stream' ? 'no_stream' : window.last.revision, encoded);
      if (answer.kind === 'appended') {
        this.#keep(name, { last: lastAfter(answer.revision, encoded), entries: [...recent, data] }, count);
        return recent.length;
      }
      if (answer.actual === 'no_stream') throw new Error(`${stream} is gone`);
      this.#keep(name, await this.#readOn(stream, window, answer.actual, count), count);
    }
    throw new StoreUnavailable(`${stream}: others were first in ${ROUNDS_MAX} rounds`);
  }

  /** From the window's end, or from the oldest event that can still count if later. */
  async #readOn(stream: StreamName, window: Window, newest: Revision, count: number): Promise<Window> {
    const oldest = newest + 1n - BigInt(count);
    const next = window.last === 'no_stream' ? 0n : window.last.revision + 1n;
    const joins = oldest <= next;
    const from = (joins ? next : oldest) as Revision;
    let last: Last | undefined = joins ? window.last : undefined;
    const entries: OrderCounted['data'][] = joins ? [...window.entries] : [];
    for await (const stored of this.store.read(stream, from)) {
      if (last !== undefined) assertChained(stored, last);
      entries.push(velocityCodec.decode(stored).data);
      last = { revision: stored.revision, hash: hashOf(stored) };
    }
    return last === undefined ? NOTHING : { last, entries };
  }

  #keep(name: string, { last, entries }: Window, count: number): void {
    this.#drop(name);
    const kept = entries.slice(-count);
    this.#windows.set(name, { last, entries: kept });
    this.#entries += kept.length;
    // Keeps the window in use, because its next round is decided from it.
    for (const eldest of this.#windows.keys()) {
      if ((this.#windows.size <= WINDOWS_MAX && this.#entries <= ENTRIES_MAX) || eldest === name) break;
      this.#drop(eldest);
    }
  }

  #drop(name: string): void {
    this.#entries -= this.#windows.get(name)?.entries.length ?? 0;
    this.#windows.delete(name);
  }
}
