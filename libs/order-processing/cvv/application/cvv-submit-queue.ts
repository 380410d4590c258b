import { addMs, sleep, type Clock, type Instant, type Monotonic, type Scheduled, type Scheduler, type Secret } from '@app/kernel';
import { backOffMs, type StreamName } from '@app/event-store';
import { mayGoOn, SUBMIT_OVERDUE_MS, type Attempts } from '../../domain';
import type { CallsUnderWay } from '../../attempts/application/calls-under-way';
import type { OpenOrder, OrderContexts } from '../../order/application/order-context';
import { aboutOrder, OrderWorkFailed } from '../../order/application/order-work-failed';
import { isStoreAway } from '../../order/application/store-away';
import type { SubmitAttempt } from '../../attempts/application/submit-attempt';
import { workLane } from '../../order/application/work-lane';

/** Orders whose CVV waits here at one moment; more are not accepted. */
const HELD_MAX = 5_000;
/** Of one lane: a gate that is silent fills its own share and no more. */
export const HELD_PER_LANE_MAX = 1_000;
export const SUBMITS_PER_LANE_MAX = 128;
const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;
/** With these gaps more than the 60 s that a CVV is held: ends the tries where the clock is set back (safety, F28). */
const TRIES_MAX = 20;
/** After each of these gaps the order is looked at again; with the last of them a CVV has been kept for 60 s from the gate's last word. */
const LOOK_GAPS_MS = [1_000, 2_000, 5_000, 15_000, 37_000] as const;
/** While a consumer chooses among the fees: a choice made in another process is seen after so long. */
const CHOICE_LOOK_GAP_MS = 3_000;

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

/** An attempt is under way whose outcome may want another one, or the consumer chooses a fee. */
interface RestingOrder {
  readonly order: OrderWithCvv;
  /** As it was seen last. */
  readonly status: Attempts['status'];
  readonly looks: number;
  /** Until when the consumer may choose among the fees, where that is what it waits for. */
  readonly choiceDueAt: Instant | undefined;
  /** The same by the monotonic clock: a CVV is kept no longer where the wall clock is set back. */
  readonly choiceUntilMs: number;
  readonly timer: Scheduled;
}

/** The consumer chooses a fee, or the payer is at the authentication page: as long as it takes. */
const isForPerson = ({ choiceDueAt, status }: Pick<RestingOrder, 'choiceDueAt' | 'status'>): boolean =>
  choiceDueAt !== undefined || status === 'payer-needed';

interface Lane {
  readonly waiting: HeldOrder[];
  running: number;
  resting: number;
}

/**
 * Where a CVV lives between acceptance and its last use: in the memory of the process that accepted the order, and nowhere else (architecture,
 * rule 5). While the consumer chooses among the fees of a transfer it is kept for as long as that may take. Where the plan may want another attempt
 * it is kept for 60 s from the gate's last word; of an outcome that is open meanwhile this process hears at once where it learns of it itself, and by
 * a few looks where another one does. What is lost with the process is ended by whoever finds it. A lane never waits for another: an order that did
 * would be ended as interrupted although its own gate answers. A stop waits for gates and merchant servers, never for a person.
 */
export class CvvSubmitQueue {
  readonly #lanes = new Map<string, Lane>();
  readonly #resting = new Map<StreamName, RestingOrder>();
  readonly #onIdle: (() => void)[] = [];
  #held = 0;
  #isWaitingForPeople = true;

  constructor(
    private readonly contexts: Pick<OrderContexts, 'open'>,
    private readonly submitting: Pick<SubmitAttempt, 'submit'>,
    /** What outlived its time at a gate still takes its room. */
    private readonly overdue: Pick<CallsUnderWay, 'overdueIn'>,
    private readonly clock: Clock,
    private readonly monotonic: Monotonic,
    private readonly scheduler: Scheduler,
    /** Told of every try that failed; what fails to the last is left to the interruption of the order. */
    private readonly onError: (stream: StreamName, error: unknown) => void,
  ) {}

  hasRoomIn(name: string): boolean {
    const lane = this.#lanes.get(name);
    const held = lane === undefined ? 0 : lane.waiting.length + lane.running + lane.resting;
    return this.#held < HELD_MAX && held + this.overdue.overdueIn(name) < HELD_PER_LANE_MAX;
  }

  /** A call that had outlived its time has ended. */
  roomChanged(lane: string): void {
    if (this.#lanes.has(lane)) this.#next(lane);
  }

  get held(): number {
    return this.#held;
  }

  /** Beyond it no order that comes with a CVV is taken. */
  get heldMax(): number {
    return HELD_MAX;
  }

  submitSoon(order: OrderWithCvv): void {
    this.#held++;
    this.#queue(order);
  }

  /** An order has moved on in this process, whoever moved it. */
  orderMoved(moved: OpenOrder): void {
    const resting = this.#rise(moved.stream);
    if (resting !== undefined) this.#goOn(resting.order, moved, resting);
  }

  /** Before a stop: what a person is awaited for is left as it stands in the log, now and from now on, and is ended by whoever finds it. */
  stopWaitingForPeople(): void {
    this.#isWaitingForPeople = false;
    for (const [stream, resting] of [...this.#resting]) {
      if (!isForPerson(resting)) continue;
      this.#rise(stream);
      this.#letGo();
    }
  }

  /** Resolves when nothing is held any more, or after the caller's own deadline, whichever it races with. */
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
    this.#laneOf(order.lane).waiting.push({ ...order, until: addMs(this.clock.now(), SUBMIT_OVERDUE_MS) });
    this.#next(order.lane);
  }

  #next(name: string): void {
    const lane = this.#laneOf(name);
    while (lane.running + this.overdue.overdueIn(name) < SUBMITS_PER_LANE_MAX) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.running++;
      void this.#submit(next).then((after) => {
        lane.running--;
        if (after === undefined) this.#letGo();
        else this.#goOn(next, after);
        this.#next(name);
      });
    }
    if (lane.running + lane.waiting.length + lane.resting === 0) this.#lanes.delete(name);
  }

  #letGo(): void {
    this.#held--;
    if (this.#held === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** The next attempt, a rest until the one under way is answered, or the end of the CVV's use. */
  #goOn(
    order: OrderWithCvv,
    { processing, order: { merchant } }: OpenOrder,
    rested?: Pick<RestingOrder, 'status' | 'looks' | 'choiceDueAt' | 'choiceUntilMs'>,
  ): void {
    if (!mayGoOn(processing)) return this.#letGo();
    const { due, attempts, device } = processing;
    if (device?.status === 'fee-offered') {
      const untilMs = rested?.choiceDueAt === undefined ? this.#choiceUntilMs(device.choiceDueAt) : rested.choiceUntilMs;
      return this.#restUntilChosen({ ...order, lane: workLane(merchant, 'payer') }, device.choiceDueAt, untilMs);
    }
    if (due !== undefined) return this.#queue({ ...order, lane: workLane(merchant, due.gate) });
    this.#rest(order, attempts.status, rested?.status === attempts.status ? rested.looks : 0);
  }

  #choiceUntilMs(choiceDueAt: Instant): number {
    return this.monotonic.elapsedMs() + (choiceDueAt - this.clock.now());
  }

  #restUntilChosen(order: OrderWithCvv, choiceDueAt: Instant, choiceUntilMs: number): void {
    if (this.clock.now() >= choiceDueAt || this.monotonic.elapsedMs() >= choiceUntilMs) return this.#letGo();
    this.#restFor(CHOICE_LOOK_GAP_MS, { order, status: 'none', looks: 0, choiceDueAt, choiceUntilMs });
  }

  #rest(order: OrderWithCvv, status: Attempts['status'], looks: number): void {
    const gapMs = LOOK_GAPS_MS[looks];
    if (gapMs === undefined) return this.#letGo();
    this.#restFor(gapMs, { order, status, looks: looks + 1, choiceDueAt: undefined, choiceUntilMs: 0 });
  }

  #restFor(gapMs: number, resting: Omit<RestingOrder, 'timer'>): void {
    if (!this.#isWaitingForPeople && isForPerson(resting)) return this.#letGo();
    const { stream, lane } = resting.order;
    this.#laneOf(lane).resting++;
    const timer = this.scheduler.after(gapMs, () => void this.#look(stream));
    this.#resting.set(stream, { ...resting, timer });
  }

  #rise(stream: StreamName): RestingOrder | undefined {
    const resting = this.#resting.get(stream);
    if (resting === undefined) return undefined;
    resting.timer.cancel();
    this.#resting.delete(stream);
    this.#laneOf(resting.order.lane).resting--;
    this.#next(resting.order.lane);
    return resting;
  }

  async #look(stream: StreamName): Promise<void> {
    const resting = this.#rise(stream);
    if (resting === undefined) return;
    const { order, status, looks, choiceDueAt, choiceUntilMs } = resting;
    try {
      this.#goOn(order, await this.contexts.open(stream), resting);
    } catch (error) {
      this.onError(stream, error);
      if (!isStoreAway(error)) this.#letGo();
      else if (choiceDueAt === undefined) this.#rest(order, status, looks);
      else this.#restUntilChosen(order, choiceDueAt, choiceUntilMs);
    }
  }

  /**
   * Tries again what failed because a store was away, as long as the order is this process's to submit. A try that came as far as the claim
   * left it in the stream, and the next one submits nothing. Whoever waits keeps its place in the lane: what is away is away for every lane.
   * Undefined where nothing came of it: the order was ended by another, or cannot be read.
   */
  async #submit({ stream, cvv, until }: HeldOrder): Promise<OpenOrder | undefined> {
    for (let tried = 1; tried <= TRIES_MAX; tried++) {
      let open: OpenOrder | undefined;
      try {
        open = await this.contexts.open(stream);
        const after = await this.submitting.submit(open, cvv);
        const { due, device } = open.processing;
        const isLeft = after === open && due !== undefined && device?.status !== 'fee-offered';
        return isLeft ? undefined : after;
      } catch (error) {
        this.onError(stream, open === undefined ? error : new OrderWorkFailed(aboutOrder(open), error));
        const gapMs = backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS);
        if (!isStoreAway(error) || addMs(this.clock.now(), gapMs) >= until) return undefined;
        await sleep(this.scheduler, gapMs);
      }
    }
    return undefined;
  }
}
