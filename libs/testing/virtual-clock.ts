import { addMs, type Clock, type Instant, type Monotonic, type Scheduled, type Scheduler } from '@app/kernel';

interface Timer {
  dueAt: Instant;
  readonly order: number;
  readonly run: () => void;
}

/** 2024-01-01T00:00:00Z makes real time from a forgotten injection obvious. */
const DEFAULT_START = 1_704_067_200_000 as Instant;
/** Ends a timer that renews itself without a delay, instead of hanging. */
const TIMERS_PER_ADVANCE_MAX = 1_000_000;
/** Event loop ticks after each timer, so that promises and workers' answers continue. */
const TURNS_AFTER_TIMER = 2;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export const settle = async (turns = TURNS_AFTER_TIMER): Promise<void> => {
  for (let count = 0; count < turns; count++) await turn();
};

/** Clock, Monotonic and Scheduler of the code under test; time advances only on request. */
export class VirtualClock implements Clock, Monotonic, Scheduler {
  #now: Instant;
  #jumpedMs = 0;
  #order = 0;
  readonly #timers: Timer[] = [];

  constructor(start: Instant = DEFAULT_START) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  elapsedMs(): number {
    return this.#now - this.#jumpedMs;
  }

  after(delayMs: number, run: () => void): Scheduled {
    const timer: Timer = { dueAt: addMs(this.#now, Math.max(delayMs, 0)), order: this.#order++, run };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return { cancel: () => this.#remove(timer) };
  }

  get pending(): number {
    return this.#timers.length;
  }

  /** Runs each timer at its due time, with its consequences, before the next one. */
  async advance(ms: number): Promise<void> {
    const end = addMs(this.#now, ms);
    await settle();
    for (let ran = 0; ran < TIMERS_PER_ADVANCE_MAX; ran++) {
      const timer = this.#nextUpTo(end);
      if (timer === undefined) {
        this.#now = end;
        return;
      }
      this.#timers.shift();
      this.#now = timer.dueAt;
      timer.run();
      await settle();
    }
    throw new Error(`${TIMERS_PER_ADVANCE_MAX} timers ran within ${ms} ms: one renews itself without a delay`);
  }

  async advanceUntil(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    const end = addMs(this.#now, limitMs);
    await settle();
    while (!condition()) {
      const timer = this.#nextUpTo(end);
      if (timer === undefined) throw new Error(`the condition did not hold within ${limitMs} ms of virtual time`);
      await this.advance(timer.dueAt - this.#now);
    }
  }

  /** Sets the clock forwards or back; timers keep their remaining time (safety, F28). */
  jump(ms: number): void {
    for (const timer of this.#timers) timer.dueAt = addMs(timer.dueAt, ms);
    this.#now = addMs(this.#now, ms);
    this.#jumpedMs += ms;
  }

  #nextUpTo(end: Instant): Timer | undefined {
    const [next] = this.#timers;
    return next === undefined || next.dueAt > end ? undefined : next;
  }

  #placeOf({ dueAt, order }: Timer): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#timers[middle];
      if (other !== undefined && (other.dueAt < dueAt || (other.dueAt === dueAt && other.order < order))) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #remove(timer: Timer): void {
    const place = this.#placeOf(timer);
    if (this.#timers[place] === timer) this.#timers.splice(place, 1);
  }
}
