import type { GateAlias, MerchantLogin, AttemptKey, Clock, Instant, Monotonic } from '@app/kernel';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '../../domain';

/** Orders that are worked in one lane at one moment. */
export const ORDERS_WORKED_PER_LANE_MAX = 64;

/** The lane of work that may block: one merchant's at one gate, so that a silent gate holds up no other merchant (architecture, rule 9). */
export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;

/** Inquiries move no money, so they have a lane and room of their own beside what waits to be sent and what is silent. */
export const inquiryLane = (merchant: MerchantLogin, gate: GateAlias | 'follow-ups' | 'hosted-challenges'): string =>
  `${merchant}/${gate} inquiries`;

/** Calls of one merchant and gate that ran past their time and have not ended; at this number nothing more is sent there. */
export const OVERDUE_PER_LANE_MAX = 64;
/**
 * Keys that a gate reported as not found before that could be believed; a key dropped beyond this number is timed again when it is next asked about.
 */
const NOT_FOUND_KEYS_MAX = 10_000;
/** The sweep runs once in so many holds, because another process may have resolved a key without this one noticing. */
const HELD_PER_SWEEP = 1_024;

interface UnderWay {
  holds: number;
  /** By the monotonic clock: until when the last of the ended calls may still arrive at the gate. */
  arrivesByMs: number | undefined;
}

/** The data from which a "not found" about a key is judged. */
export interface Flight {
  /** The gate's own limit, counted from the moment at which something left. */
  readonly longestFlightMs: number;
  /** The moment that the newest claim names: an answer from before it says nothing of what left under it. */
  readonly sentAt: Instant;
  /** By the wall clock, as the log has it. */
  readonly endsAt: Instant;
}

/** The moment since which a gate has reported "not found" for what left under one claim. */
interface NotFoundReport {
  readonly sentAt: Instant;
  readonly sinceMs: number;
}

/**
 * Tracks what this process may still send, has sent, and what may still be on its way to a gate. It uses monotonic time, so that a wall clock that is
 * set neither gives up a charge in flight nor keeps one open that can no longer arrive.
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
    /** True where other processes call gates too; a single process knows that anything sent earlier left before it started. */
    private readonly isShared: boolean,
  ) {
    this.#startedMs = monotonic.elapsedMs();
  }

  /** Registers the one listener, which is called when a lane has fewer overdue calls than before. */
  listen(onRoom: (lane: string) => void): void {
    this.#onRoom = onRoom;
  }

  hold(key: AttemptKey): void {
    if (++this.#held % HELD_PER_SWEEP === 0) this.#sweep();
    const before = this.#keys.get(key);
    if (before === undefined) this.#keys.set(key, { holds: 1, arrivesByMs: undefined });
    else before.holds++;
  }

  /** @param flightMs how long what was sent may still take to arrive; 0 where the outcome is known */
  release(key: AttemptKey, flightMs: number): void {
    const held = this.#keys.get(key);
    if (held === undefined) return;
    held.holds--;
    if (flightMs > 0) held.arrivesByMs = Math.max(held.arrivesByMs ?? 0, this.monotonic.elapsedMs() + flightMs);
    if (held.holds === 0 && held.arrivesByMs === undefined) this.#keys.delete(key);
  }

  /** Drops a key whose outcome is final, since it is never asked about again. */
  forget(key: AttemptKey): void {
    const held = this.#keys.get(key);
    if (held?.holds === 0) this.#keys.delete(key);
    this.#unheard.delete(key);
  }

  /**
   * Milliseconds for which a "not found" about the key cannot be believed yet; 0 where it can, undefined where it depends on a call that has no known
   * end.
   */
  waitsMs(key: AttemptKey, { longestFlightMs, sentAt, endsAt }: Flight): number | undefined {
    const nowMs = this.monotonic.elapsedMs();
    const held = this.#keys.get(key);
    if (held !== undefined && held.holds > 0) return undefined;
    if (held?.arrivesByMs !== undefined) {
      if (nowMs < held.arrivesByMs) return held.arrivesByMs - nowMs;
      this.#keys.delete(key);
    }
    if (!this.isShared) return Math.max(this.#startedMs + longestFlightMs - nowMs, 0);
    // Another process may have made the call, so the flight counts from the moment that the log names.
    const sinceMs = this.#unheardSince(key, sentAt, nowMs);
    const byMonotonic = sinceMs + LEAVES_WITHIN_MS + GATE_TIMEOUT_MS + longestFlightMs - nowMs;
    return Math.max(Math.min(endsAt - this.clock.now(), byMonotonic), 0);
  }

  /** Count of the keys that it remembers: of calls under way, and of ended ones that may still arrive. */
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

/** Calls that outlived their time take the room of their lane until they end. */
export class GateRoom {
  readonly #underWay: Pick<CallsUnderWay, 'overdueIn'>;
  #onRoom = (): void => undefined;

  constructor(underWay: Pick<CallsUnderWay, 'overdueIn'>) {
    this.#underWay = underWay;
  }

  busyElsewhere(lane: string): number {
    return this.#underWay.overdueIn(lane);
  }

  /** Called when a lane has more of it. One listener. */
  tell(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  changed(): void {
    this.#onRoom();
  }
}
