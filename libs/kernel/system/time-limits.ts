import type { Scheduled, Scheduler } from './ports';

interface Pending {
  readonly expire: () => void;
  readonly slot: Set<Pending>;
}

const TICK_MS = 100;

/**
 * Time limits on one common timer, because a timer per append would be too expensive. They never expire early, and at
 * most one tick late.
 */
export class TimeLimits {
  readonly #scheduler: Scheduler;
  readonly #slots: readonly Set<Pending>[];
  #current = 0;
  #count = 0;
  #timer: Scheduled | undefined;

  constructor(scheduler: Scheduler, limitMs: number) {
    this.#scheduler = scheduler;
    this.#slots = Array.from({ length: Math.ceil(limitMs / TICK_MS) + 2 }, () => new Set<Pending>());
  }

  /**
   * Calls `expire` after the limit unless the returned function is called first.
   * @param shorterMs a limit below the common one
   */
  begin(expire: () => void, shorterMs = Infinity): () => void {
    const ticks = Math.min(Math.ceil(Math.max(shorterMs, 0) / TICK_MS) + 1, this.#slots.length - 1);
    const slot = this.#slots[(this.#current + ticks) % this.#slots.length];
    if (slot === undefined) throw new Error('a limit has at least one slot');
    const pending: Pending = { expire, slot };
    slot.add(pending);
    this.#count += 1;
    this.#timer ??= this.#scheduler.after(TICK_MS, () => this.#tick());
    return () => this.#remove(pending);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #remove(pending: Pending): boolean {
    if (!pending.slot.delete(pending)) return false;
    this.#count -= 1;
    return true;
  }

  #tick(): void {
    this.#current = (this.#current + 1) % this.#slots.length;
    for (const pending of [...(this.#slots[this.#current] ?? [])]) if (this.#remove(pending)) pending.expire();
    this.#timer = this.#count > 0 ? this.#scheduler.after(TICK_MS, () => this.#tick()) : undefined;
  }
}
