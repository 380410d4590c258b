import { addMs, sleep, type Clock, type Instant, type Monotonic, type Scheduled, type Scheduler, type Secret } from '@app/kernel';
import { backOffMs, type StreamName } from '@app/event-store';
import { mayGoOn, SUBMIT_OVERDUE_MS, type Attempts } from '../../domain';
import { type InFlightCalls, workLane } from './in-flight-calls';
import type { OpenOrder, OrderContexts } from '../order-context';
import { aboutOrder, OrderWorkFailed, isStoreAway } from '../order-work-failed';
import type { SubmitAttempt } from './submit-attempt';

/** Above this number of held CVVs no more orders are accepted. */
const HELD_MAX = 5_000;
/** Per lane, so that a silent gate fills only its share. */
export const HELD_PER_LANE_MAX = 1_000;
export const SUBMITS_PER_LANE_MAX = 128;
const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;
/** More attempts than fit into the 60 s for which a CVV is held; ends them if the clock is set back (safety, F28). */
const TRIES_MAX = 20;
/** After the last gap the CVV has been kept for 60 s since the gate's last answer. */
const CHECK_GAPS_MS = [1_000, 2_000, 5_000, 15_000, 37_000] as const;
/** Check interval for a fee choice made in another process. */
const CHOICE_CHECK_GAP_MS = 3_000;

export interface OrderWithCvv {
  readonly lane: string;
  readonly stream: StreamName;
  readonly cvv: Secret<string>;
}

interface HeldOrder extends OrderWithCvv {
  readonly until: Instant;
}

/** Its current attempt may lead to another one, or its consumer is choosing a fee. */
interface RestingOrder {
  readonly order: OrderWithCvv;
  readonly status: Attempts['status'];
  readonly checks: number;
  readonly choiceDueAt: Instant | undefined;
  /** By the monotonic clock, so that a wall clock that is set back does not keep the CVV longer. */
  readonly choiceUntilMs: number;
  readonly timer: Scheduled;
}

/** These waits are limited only by their deadlines in the plan. */
const isForPerson = ({ choiceDueAt, status }: Pick<RestingOrder, 'choiceDueAt' | 'status'>): boolean =>
  choiceDueAt !== undefined || status === 'payer-needed';

interface Lane {
  readonly waiting: HeldOrder[];
  running: number;
  resting: number;
}

interface CvvSubmitQueuePorts {
  readonly contexts: Pick<OrderContexts, 'open'>;
  readonly submitting: Pick<SubmitAttempt, 'submit'>;
  readonly overdue: Pick<InFlightCalls, 'overdueIn'>;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called for every failed attempt. If all fail, the order is later ended as interrupted. */
  readonly onError: (stream: StreamName, error: unknown) => void;
}

/**
 * Holds a CVV between acceptance and its last use, only in the memory of the accepting process (architecture, rule 5). During a fee choice it is kept
 * for the whole choice. If another attempt may follow, it is kept for 60 s from the gate's last answer. If the process ends, any other may end the
 * order. A stop waits for gates and merchant servers, never for a person.
 */
export class CvvSubmitQueue {
  readonly #lanes = new Map<string, Lane>();
  readonly #resting = new Map<StreamName, RestingOrder>();
  readonly #onIdle: (() => void)[] = [];
  #held = 0;
  #isWaitingForPeople = true;

  constructor(private readonly ports: CvvSubmitQueuePorts) {}

  hasRoomIn(name: string): boolean {
    const lane = this.#lanes.get(name);
    const held = lane === undefined ? 0 : lane.waiting.length + lane.running + lane.resting;
    return this.#held < HELD_MAX && held + this.ports.overdue.overdueIn(name) < HELD_PER_LANE_MAX;
  }

  roomChanged(lane: string): void {
    if (this.#lanes.has(lane)) this.#next(lane);
  }

  get held(): number {
    return this.#held;
  }

  get heldMax(): number {
    return HELD_MAX;
  }

  submitSoon(order: OrderWithCvv): void {
    this.#held++;
    this.#queue(order);
  }

  /** Called whenever an order changes in this process. */
  orderMoved(moved: OpenOrder): void {
    const resting = this.#resume(moved.stream);
    if (resting !== undefined) this.#continue(resting.order, moved, resting);
  }

  /** Called before a stop: orders that wait for a person stay in the log for any process to continue. */
  stopWaitingForPeople(): void {
    this.#isWaitingForPeople = false;
    for (const [stream, resting] of [...this.#resting]) {
      if (!isForPerson(resting)) continue;
      this.#resume(stream);
      this.#release();
    }
  }

  drained(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #laneOf(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { waiting: [], running: 0, resting: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #queue(order: OrderWithCvv): void {
    this.#laneOf(order.lane).waiting.push({ ...order, until: addMs(this.ports.clock.now(), SUBMIT_OVERDUE_MS) });
    this.#next(order.lane);
  }

  #next(name: string): void {
    const lane = this.#laneOf(name);
    while (lane.running + this.ports.overdue.overdueIn(name) < SUBMITS_PER_LANE_MAX) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.running++;
      void this.#submit(next).then((after) => {
        lane.running--;
        if (after === undefined) this.#release();
        else this.#continue(next, after);
        this.#next(name);
      });
    }
    if (lane.running + lane.waiting.length + lane.resting === 0) this.#lanes.delete(name);
  }

  #release(): void {
    this.#held--;
    if (this.#held === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #continue(
    order: OrderWithCvv,
    { processing, order: { merchant } }: OpenOrder,
    rested?: Pick<RestingOrder, 'status' | 'checks' | 'choiceDueAt' | 'choiceUntilMs'>,
  ): void {
    if (!mayGoOn(processing)) return this.#release();
    const { due, attempts, device } = processing;
    if (device?.status === 'fee-offered') {
      const untilMs = rested?.choiceDueAt === undefined ? this.#choiceUntilMs(device.choiceDueAt) : rested.choiceUntilMs;
      return this.#restUntilChosen({ ...order, lane: workLane(merchant, 'payer') }, device.choiceDueAt, untilMs);
    }
    if (due !== undefined) return this.#queue({ ...order, lane: workLane(merchant, due.gate) });
    this.#rest(order, attempts.status, rested?.status === attempts.status ? rested.checks : 0);
  }

  #choiceUntilMs(choiceDueAt: Instant): number {
    return this.ports.monotonic.elapsedMs() + (choiceDueAt - this.ports.clock.now());
  }

  #restUntilChosen(order: OrderWithCvv, choiceDueAt: Instant, choiceUntilMs: number): void {
    if (this.ports.clock.now() >= choiceDueAt || this.ports.monotonic.elapsedMs() >= choiceUntilMs) return this.#release();
    this.#restFor(CHOICE_CHECK_GAP_MS, { order, status: 'none', checks: 0, choiceDueAt, choiceUntilMs });
  }

  #rest(order: OrderWithCvv, status: Attempts['status'], checks: number): void {
    const gapMs = CHECK_GAPS_MS[checks];
    if (gapMs === undefined) return this.#release();
    this.#restFor(gapMs, { order, status, checks: checks + 1, choiceDueAt: undefined, choiceUntilMs: 0 });
  }

  #restFor(gapMs: number, resting: Omit<RestingOrder, 'timer'>): void {
    if (!this.#isWaitingForPeople && isForPerson(resting)) return this.#release();
    const { stream, lane } = resting.order;
    this.#laneOf(lane).resting++;
    const timer = this.ports.scheduler.after(gapMs, () => void this.#check(stream));
    this.#resting.set(stream, { ...resting, timer });
  }

  #resume(stream: StreamName): RestingOrder | undefined {
    const resting = this.#resting.get(stream);
    if (resting === undefined) return undefined;
    resting.timer.cancel();
    this.#resting.delete(stream);
    this.#laneOf(resting.order.lane).resting--;
    this.#next(resting.order.lane);
    return resting;
  }

  async #check(stream: StreamName): Promise<void> {
    const resting = this.#resume(stream);
    if (resting === undefined) return;
    const { order, status, checks, choiceDueAt, choiceUntilMs } = resting;
    try {
      this.#continue(order, await this.ports.contexts.open(stream), resting);
    } catch (error) {
      this.ports.onError(stream, error);
      if (!isStoreAway(error)) this.#release();
      else if (choiceDueAt === undefined) this.#rest(order, status, checks);
      else this.#restUntilChosen(order, choiceDueAt, choiceUntilMs);
    }
  }

  /**
   * Retries while a store is unavailable and this process may still submit the order. An attempt that wrote the claim is not submitted again.
   * @returns undefined if another process ended the order or it cannot be read
   */
  async #submit({ stream, cvv, until }: HeldOrder): Promise<OpenOrder | undefined> {
    for (let tried = 1; tried <= TRIES_MAX; tried++) {
      let open: OpenOrder | undefined;
      try {
        open = await this.ports.contexts.open(stream);
        const after = await this.ports.submitting.submit(open, cvv);
        const { due, device } = open.processing;
        const isLeft = after === open && due !== undefined && device?.status !== 'fee-offered';
        return isLeft ? undefined : after;
      } catch (error) {
        this.ports.onError(stream, open === undefined ? error : new OrderWorkFailed(aboutOrder(open), error));
        const gapMs = backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS);
        if (!isStoreAway(error) || addMs(this.ports.clock.now(), gapMs) >= until) return undefined;
        await sleep(this.ports.scheduler, gapMs);
      }
    }
    return undefined;
  }
}
