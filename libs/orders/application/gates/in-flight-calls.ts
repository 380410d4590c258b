import type { GateAlias, MerchantLogin, AttemptKey, Clock, Instant, Monotonic } from '@app/kernel';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '../../domain';

export const ORDERS_WORKED_PER_LANE_MAX = 64;

export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;

/** Inquiries move no money; a separate lane keeps them from waiting behind a silent gate's requests. */
export const inquiryLane = (merchant: MerchantLogin, gate: GateAlias | 'follow-ups' | 'hosted-challenges'): string =>
  `${merchant}/${gate} inquiries`;

/** Above this number of overdue calls nothing more is sent in the lane. */
export const OVERDUE_PER_LANE_MAX = 64;
/** A key dropped above this limit is timed again at its next inquiry. */
const NOT_FOUND_KEYS_MAX = 10_000;
/** Sweeps once per this many holds, because another process may have resolved a key unnoticed. */
const HELD_PER_SWEEP = 1_024;

interface UnderWay {
  holds: number;
  arrivesByMs: number | undefined;
}

export interface Flight {
  readonly longestFlightMs: number;
  /** The moment of the newest claim; an earlier answer does not cover anything sent under it. */
  readonly sentAt: Instant;
  readonly endsAt: Instant;
}

/** Since when a gate has reported "not found" under one claim. */
interface NotFoundReport {
  readonly sentAt: Instant;
  readonly sinceMs: number;
}

/**
 * Tracks what may still be sent or arrive at a gate. Monotonic time, so that a clock change neither gives up a charge in flight nor keeps one open
 * for ever.
 */
export class InFlightCalls {
  readonly #keys = new Map<AttemptKey, UnderWay>();
  readonly #overdue = new Map<string, number>();
  readonly #notFound = new Map<AttemptKey, NotFoundReport>();
  readonly #startedMs: number;
  #held = 0;
  #onRoom: (lane: string) => void = () => undefined;

  constructor(
    private readonly monotonic: Monotonic,
    private readonly clock: Clock,
    /** False if only this process calls gates: anything sent earlier left before it started. */
    private readonly isShared: boolean,
  ) {
    this.#startedMs = monotonic.elapsedMs();
  }

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

  forget(key: AttemptKey): void {
    const held = this.#keys.get(key);
    if (held?.holds === 0) this.#keys.delete(key);
    this.#notFound.delete(key);
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
    const sinceMs = this.#unknownSince(key, sentAt, nowMs);
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

  #unknownSince(key: AttemptKey, sentAt: Instant, nowMs: number): number {
    const known = this.#notFound.get(key);
    if (known?.sentAt === sentAt) return known.sinceMs;
    this.#notFound.delete(key);
    this.#notFound.set(key, { sentAt, sinceMs: nowMs });
    for (const oldest of this.#notFound.keys()) {
      if (this.#notFound.size <= NOT_FOUND_KEYS_MAX) break;
      this.#notFound.delete(oldest);
    }
    return nowMs;
  }
}

export class GateCapacity {
  readonly #underWay: Pick<InFlightCalls, 'overdueIn'>;
  #onRoom = (): void => undefined;

  constructor(underWay: Pick<InFlightCalls, 'overdueIn'>) {
    this.#underWay = underWay;
  }

  busyElsewhere(lane: string): number {
    return this.#underWay.overdueIn(lane);
  }

  tell(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  changed(): void {
    this.#onRoom();
  }
}
