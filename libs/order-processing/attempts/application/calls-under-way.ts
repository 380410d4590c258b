import type { AttemptKey, Clock, Instant, Monotonic } from '@app/kernel';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '../../domain';

/** Calls of one merchant and gate that outlived their time and have not ended; where there are as many, nothing more is sent there. */
export const OVERDUE_PER_LANE_MAX = 64;
/** Keys of which a gate said that it never heard of them, too early to be believed; what is more is counted anew when it is asked again. */
const UNHEARD_MAX = 10_000;
/** Keys are looked through for those that are over once in so many, for others may have settled them unseen. */
const HELD_PER_SWEEP = 1_024;

interface UnderWay {
  holds: number;
  /** Where all have ended and the last of them may still be on its way: until when, by the monotonic clock. */
  arrivesByMs: number | undefined;
}

/** What a question about a key is answered from. */
export interface Flight {
  /** The gate's own, from the moment at which something left. */
  readonly longestFlightMs: number;
  /** The moment that the newest claim names: what was heard before says nothing of what left under it. */
  readonly sentAt: Instant;
  /** As the log tells it, by the wall clock. */
  readonly endsAt: Instant;
}

/** Since when a gate has said of what left under a claim that it never heard of it. */
interface Unheard {
  readonly sentAt: Instant;
  readonly sinceMs: number;
}

/**
 * What this process may yet send, has sent, and what may still be on its way to a gate. It goes by monotonic time: a clock that is set neither lets
 * a charge be given up while it flies nor keeps one open that cannot arrive any more.
 */
export class CallsUnderWay {
  readonly #keys = new Map<AttemptKey, UnderWay>();
  readonly #overdue = new Map<string, number>();
  readonly #unheard = new Map<AttemptKey, Unheard>();
  readonly #startedMs: number;
  #held = 0;
  #onRoom: (lane: string) => void = () => undefined;

  constructor(
    private readonly monotonic: Monotonic,
    private readonly clock: Clock,
    /** Other processes call gates too; alone, what an earlier process sent left before this one began. */
    private readonly isShared: boolean,
  ) {
    this.#startedMs = monotonic.elapsedMs();
  }

  /** Told when a lane's overdue calls have become fewer. One listener. */
  tell(onRoom: (lane: string) => void): void {
    this.#onRoom = onRoom;
  }

  hold(key: AttemptKey): void {
    if (++this.#held % HELD_PER_SWEEP === 0) this.#sweep();
    const before = this.#keys.get(key);
    if (before === undefined) this.#keys.set(key, { holds: 1, arrivesByMs: undefined });
    else before.holds++;
  }

  /** @param flightMs how long what was sent may still take to arrive; 0 where that is settled */
  release(key: AttemptKey, flightMs: number): void {
    const held = this.#keys.get(key);
    if (held === undefined) return;
    held.holds--;
    if (flightMs > 0) held.arrivesByMs = Math.max(held.arrivesByMs ?? 0, this.monotonic.elapsedMs() + flightMs);
    if (held.holds === 0 && held.arrivesByMs === undefined) this.#keys.delete(key);
  }

  /** The outcome stands: nobody asks about it any more. */
  forget(key: AttemptKey): void {
    const held = this.#keys.get(key);
    if (held?.holds === 0) this.#keys.delete(key);
    this.#unheard.delete(key);
  }

  /** How long a "not found" about the key is not to be believed yet; 0 where it is, and undefined where that ends with a call that nobody can time. */
  waitsMs(key: AttemptKey, { longestFlightMs, sentAt, endsAt }: Flight): number | undefined {
    const nowMs = this.monotonic.elapsedMs();
    const held = this.#keys.get(key);
    if (held !== undefined && held.holds > 0) return undefined;
    if (held?.arrivesByMs !== undefined) {
      if (nowMs < held.arrivesByMs) return held.arrivesByMs - nowMs;
      this.#keys.delete(key);
    }
    if (!this.isShared) return Math.max(this.#startedMs + longestFlightMs - nowMs, 0);
    // Another process may have made the call, and what it sent counts from the moment that the log names.
    const sinceMs = this.#unheardSince(key, sentAt, nowMs);
    const byMonotonic = sinceMs + LEAVES_WITHIN_MS + GATE_TIMEOUT_MS + longestFlightMs - nowMs;
    return Math.max(Math.min(endsAt - this.clock.now(), byMonotonic), 0);
  }

  hasRoomIn(lane: string): boolean {
    return this.overdueIn(lane) < OVERDUE_PER_LANE_MAX;
  }

  overdueIn(lane: string): number {
    return this.#overdue.get(lane) ?? 0;
  }

  overdueBegan(lane: string): void {
    this.#overdue.set(lane, this.overdueIn(lane) + 1);
  }

  overdueEnded(lane: string): void {
    const left = this.overdueIn(lane) - 1;
    if (left > 0) this.#overdue.set(lane, left);
    else this.#overdue.delete(lane);
    this.#onRoom(lane);
  }

  #sweep(): void {
    const nowMs = this.monotonic.elapsedMs();
    for (const [key, { holds, arrivesByMs }] of this.#keys) {
      if (holds === 0 && arrivesByMs !== undefined && arrivesByMs <= nowMs) this.#keys.delete(key);
    }
  }

  #unheardSince(key: AttemptKey, sentAt: Instant, nowMs: number): number {
    const known = this.#unheard.get(key);
    if (known?.sentAt === sentAt) return known.sinceMs;
    this.#unheard.delete(key);
    this.#unheard.set(key, { sentAt, sinceMs: nowMs });
    for (const oldest of this.#unheard.keys()) {
      if (this.#unheard.size <= UNHEARD_MAX) break;
      this.#unheard.delete(oldest);
    }
    return nowMs;
  }
}
