import type { GateAlias, MerchantLogin, AttemptKey, Clock, Instant, Monotonic } from '@app/kernel';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '../../domain';

export const ORDERS_WORKED_PER_LANE_MAX = 64;

/** The lane of work that may block is one merchant at one gate, so that a silent gate delays no other merchant (architecture, rule 9). */
export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;

/** Inquiries move no money, so they have a separate lane that requests waiting for a silent gate do not fill. */
export const inquiryLane = (merchant: MerchantLogin, gate: GateAlias | 'follow-ups' | 'hosted-challenges'): string =>
  `${merchant}/${gate} inquiries`;

/** Maximum number of calls of one merchant and gate past their timeout; above it nothing more is sent there. */
export const OVERDUE_PER_LANE_MAX = 64;
/** Keys reported as not found too early to be believed; a key dropped above this limit is timed again at its next inquiry. */
const NOT_FOUND_KEYS_MAX = 10_000;
/** Sweeps once per this many holds, because another process may have resolved a key unnoticed. */
const HELD_PER_SWEEP = 1_024;

interface UnderWay {
  holds: number;
  /** Monotonic time until which the last of the ended calls may still arrive at the gate. */
  arrivesByMs: number | undefined;
}

export interface Flight {
  readonly longestFlightMs: number;
  /** The moment that the newest claim names; an earlier answer does not cover anything sent under it. */
  readonly sentAt: Instant;
  readonly endsAt: Instant;
}

/** Since when a gate has reported "not found" under one claim. */
interface NotFoundReport {
  readonly sentAt: Instant;
  readonly sinceMs: number;
}

/**
 * Tracks what this process may still send, has sent, and what may still arrive at a gate. It uses monotonic time, so that a clock change neither
 * gives up a charge in flight nor keeps one open that can no longer arrive.
 */
export class CallsUnderWay {
  readonly #keys = new Map<AttemptKey, UnderWay>();
  readonly #overdue = new Map<string, number>();
  readonly #unheard = new Map<AttemptKey, NotFoundReport>();
  readonly #startedMs: number;
  #held = 0;
  #onRoom: (lane: string) => void = () => undefined;

  constructor(
    private readonly monotonic: Monotonic,
    private readonly clock: Clock,
    /** True if other processes call gates too; a single process knows that anything sent earlier left before it started. */
    private readonly isShared: boolean,
  ) {
    this.#startedMs = monotonic.elapsedMs();
  }

  /** Registers the only listener, called when a lane has fewer overdue calls than before. */
  listen(onRoom: (lane: string) => void): void {
    this.#onRoom = onRoom;
  }

  hold(key: AttemptKey): void {
    if (++this.#held % HELD_PER_SWEEP === 0) this.#sweep();
    const before = this.#keys.get(key);
    if (before === undefined) this.#keys.set(key, { holds: 1, arrivesByMs: undefined });
    else before.holds++;
  }

  /** @param flightMs how long a sent request may still take to arrive; 0 if the outcome is known */
  release(key: AttemptKey, flightMs: number): void {
    const held = this.#keys.get(key);
    if (held === undefined) return;
    held.holds--;
    if (flightMs > 0) held.arrivesByMs = Math.max(held.arrivesByMs ?? 0, this.monotonic.elapsedMs() + flightMs);
    if (held.holds === 0 && held.arrivesByMs === undefined) this.#keys.delete(key);
  }

  /** Drops a key with a final outcome, since it is never asked about again. */
  forget(key: AttemptKey): void {
    const held = this.#keys.get(key);
    if (held?.holds === 0) this.#keys.delete(key);
    this.#unheard.delete(key);
  }

  /** Milliseconds until a "not found" about the key can be believed: 0 if now, undefined if a running call has no known end. */
  waitsMs(key: AttemptKey, { longestFlightMs, sentAt, endsAt }: Flight): number | undefined {
    const nowMs = this.monotonic.elapsedMs();
    const held = this.#keys.get(key);
    if (held !== undefined && held.holds > 0) return undefined;
    if (held?.arrivesByMs !== undefined) {
      if (nowMs < held.arrivesByMs) return held.arrivesByMs - nowMs;
      this.#keys.delete(key);
    }
    if (!this.isShared) return Math.max(this.#startedMs + longestFlightMs - nowMs, 0);
    // Another process may have made the call, so the flight counts from the moment in the log.
    const sinceMs = this.#unheardSince(key, sentAt, nowMs);
    const byMonotonic = sinceMs + LEAVES_WITHIN_MS + GATE_TIMEOUT_MS + longestFlightMs - nowMs;
    return Math.max(Math.min(endsAt - this.clock.now(), byMonotonic), 0);
  }

  get remembered(): number {
    return this.#keys.size;
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
      if (this.#unheard.size <= NOT_FOUND_KEYS_MAX) break;
      this.#unheard.delete(oldest);
    }
    return nowMs;
  }
}

/** Calls past their timeout occupy room in their lane until they end. */
export class GateRoom {
  readonly #underWay: Pick<CallsUnderWay, 'overdueIn'>;
  #onRoom = (): void => undefined;

  constructor(underWay: Pick<CallsUnderWay, 'overdueIn'>) {
    this.#underWay = underWay;
  }

  busyElsewhere(lane: string): number {
    return this.#underWay.overdueIn(lane);
  }

  /** Registers the only listener, called when a lane has more room. */
  tell(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  changed(): void {
    this.#onRoom();
  }
}
