import { addMs, sleep, type Clock, type Instant, type Scheduler, type Secret } from '@app/kernel';
import { backOffMs, type StreamName } from '@app/event-store';
import { SUBMIT_OVERDUE_MS } from '../domain';
import type { OrderContexts } from './order-context';
import { isStoreAway } from './store-away';
import type { SubmitAttempt } from './submit-attempt';

/** Orders whose CVV waits here at one moment; more are not accepted. */
const HELD_MAX = 5_000;
/** Of one lane: a gate that is silent fills its own share and no more. */
export const HELD_PER_LANE_MAX = 1_000;
export const SUBMITS_PER_LANE_MAX = 128;
const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;
/** With these gaps more than the 60 s that a CVV is held: ends the tries where the clock is set back (safety, F28). */
const TRIES_MAX = 20;

export interface OrderWithCvv {
  /** Merchant and gate (`workLane`). */
  readonly lane: string;
  readonly stream: StreamName;
  readonly cvv: Secret<string>;
}

interface HeldOrder extends OrderWithCvv {
  /** From then on anyone may end the order. */
  readonly until: Instant;
}

interface Lane {
  readonly waiting: HeldOrder[];
  running: number;
}

/**
 * Where a CVV lives between acceptance and its one use: in the memory of the process that accepted the order, and nowhere else
 * (architecture, rule 5). What is lost with the process is ended as interrupted by whoever finds it. A lane never waits for another: an order
 * that did would be ended as interrupted although its own gate answers.
 */
export class CvvDesk {
  readonly #lanes = new Map<string, Lane>();
  readonly #onIdle: (() => void)[] = [];
  #held = 0;

  constructor(
    private readonly contexts: OrderContexts,
    private readonly submitting: SubmitAttempt,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    /** Told of every try that failed; what fails to the last is left to the interruption of the order. */
    private readonly onError: (stream: StreamName, error: unknown) => void,
  ) {}

  hasRoomIn(lane: string): boolean {
    const { waiting, running } = this.#lanes.get(lane) ?? { waiting: [], running: 0 };
    return this.#held < HELD_MAX && waiting.length + running < HELD_PER_LANE_MAX;
  }

  get held(): number {
    return this.#held;
  }

  submitSoon(order: OrderWithCvv): void {
    const lane = this.#lanes.get(order.lane) ?? { waiting: [], running: 0 };
    this.#lanes.set(order.lane, lane);
    lane.waiting.push({ ...order, until: addMs(this.clock.now(), SUBMIT_OVERDUE_MS) });
    this.#held++;
    this.#next(order.lane, lane);
  }

  /** Resolves when nothing is held any more, or after the caller's own deadline, whichever it races with. */
  drained(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #next(name: string, lane: Lane): void {
    while (lane.running < SUBMITS_PER_LANE_MAX) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.running++;
      void this.#submit(next).finally(() => {
        lane.running--;
        this.#held--;
        this.#next(name, lane);
      });
    }
    if (lane.running === 0) this.#lanes.delete(name);
    if (this.#held === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * Tries again what failed because a store was away, as long as the order is this process's to submit. A try that came as far as the claim
   * left it in the stream, and the next one submits nothing. Whoever waits keeps its place in the lane: what is away is away for every lane.
   */
  async #submit({ stream, cvv, until }: HeldOrder): Promise<void> {
    for (let tried = 1; tried <= TRIES_MAX; tried++) {
      try {
        await this.submitting.submit(await this.contexts.open(stream), cvv);
        return;
      } catch (error) {
        this.onError(stream, error);
        const gapMs = backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS);
        if (!isStoreAway(error) || addMs(this.clock.now(), gapMs) >= until) return;
        await sleep(this.scheduler, gapMs);
      }
    }
  }
}
