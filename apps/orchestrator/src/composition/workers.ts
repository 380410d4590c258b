import type { BootId, Clock, Failpoints, Ids, Random, Scheduled, Scheduler } from '@app/kernel';
import { addMs } from '@app/kernel';
import { DeliverCallbackReactor, type CallbackFacts, type Egress, type TriedCallback } from '@app/deliveries';
import {
  ReactorRunner,
  SubscriptionRunner,
  type EventStore,
  type OpenWork,
  type StoredEvent,
  type StreamName,
  type WorkItem,
} from '@app/event-store';
import type { Accounts } from '@app/merchant-accounts';
import { followUpOf, type SweepOwnerlessCards, type WorkFollowUp, type WorkOrder } from '@app/order-processing';
import type { ReadModel } from '@app/projections';
import { DELIVERY_WORK, ORDER_WORK } from './open-work';

/** Interrupted orders looked for when the service starts; what is more is found when its time has come. */
const INTERRUPTED_MAX = 10_000;
/** Of `orderWork`: what waits for a process that holds a CVV, before the first attempt, between two, and while the consumer chooses a fee. */
const CVV_TASKS: ReadonlySet<string> = new Set(['interrupt', 'go-on', 'decline-absent-choice']);
/** An order may wait so long for what its CVV's holder was to do: the most that `feeChoiceMinutes` can be, beside which the first submit's time is short. */
const CVV_WAIT_MS_MAX = 86_400_000;
const SWEEP_GAP_MS = 60_000;
/** Of one lane at one moment. */
export const ORDERS_WORKED_PER_LANE_MAX = 64;

export interface WorkerPorts {
  readonly store: EventStore;
  /** Other processes work on the same log. */
  readonly isShared: boolean;
  readonly readModel: ReadModel;
  readonly workOrder: WorkOrder;
  readonly workFollowUp: WorkFollowUp;
  readonly sweeper: SweepOwnerlessCards;
  readonly facts: CallbackFacts;
  readonly egress: Egress;
  readonly accounts: Accounts;
  readonly speedFactor: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly failpoints: Failpoints;
  readonly bootId: BootId;
  readonly onOrderError: (stream: StreamName | undefined, error: unknown) => void;
  readonly onParked: (event: StoredEvent, error: Error) => void;
  readonly onRetry: (error: Error) => void;
  readonly onCallbackTried: (tried: TriedCallback) => void;
}

/** The role `worker`: one subscription folds the read models and the reactors' memories; two reactors do what is due. */
export class Workers {
  readonly projections: SubscriptionRunner;
  readonly #orders: ReactorRunner;
  readonly #deliveries: ReactorRunner;
  readonly #orderWork: OpenWork;
  readonly #clock: Clock;
  readonly #ports: WorkerPorts;
  #sweep: Scheduled | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(ports: WorkerPorts) {
    const { store, readModel, workOrder, workFollowUp, egress, clock, scheduler, failpoints, onOrderError, onParked, onRetry } = ports;
    this.#clock = clock;
    this.#ports = ports;
    this.#orderWork = readModel.openWork(ORDER_WORK);
    const deliver = new DeliverCallbackReactor({
      store,
      facts: ports.facts,
      merchants: ports.accounts,
      egress: {
        send: async (request) => {
          const sending = egress.send(request);
          failpoints.reach('P10');
          const outcome = await sending;
          failpoints.reach('P11');
          return outcome;
        },
      },
      clock,
      ids: ports.ids,
      random: ports.random,
      speedFactor: ports.speedFactor,
      onTried: (tried) => {
        failpoints.reach('P12');
        ports.onCallbackTried(tried);
      },
    });
    const onError = (error: Error, item: WorkItem | undefined): void => onOrderError(item?.stream, error);
    this.#orders = new ReactorRunner({
      work: this.#orderWork,
      clock,
      scheduler,
      run: async (item) => {
        const followUp = followUpOf(item);
        const dueAgainAt = await (followUp === undefined ? workOrder.work(item.stream) : workFollowUp.work(item.stream, followUp));
        if (dueAgainAt !== undefined) await this.#orderWork.postpone(item, dueAgainAt);
      },
      onError,
      inFlightPerLaneMax: ORDERS_WORKED_PER_LANE_MAX,
    });
    this.#deliveries = new ReactorRunner({
      work: readModel.openWork(DELIVERY_WORK),
      clock,
      scheduler,
      run: (item) => deliver.on(item),
      onError,
      inFlightPerLaneMax: 48,
    });
    this.projections = new SubscriptionRunner({
      store,
      categories: readModel.categories,
      projection: readModel,
      clock,
      scheduler,
      onBatch: () => {
        failpoints.reach('P9');
        this.wake();
      },
      onParked,
      onRetry,
    });
  }

  get inFlight(): number {
    return this.#orders.inFlight + this.#deliveries.inFlight;
  }

  /** Works at once where others do too, for one of them may be the projector; alone it catches up first, and ends what was left without its CVV. */
  async start(): Promise<void> {
    this.projections.start();
    if (!this.#ports.isShared) {
      await this.projections.caughtUp();
      await this.endInterrupted();
    }
    this.#orders.start();
    this.#deliveries.start();
    this.sweepLater();
  }

  /** There may be something due that another process has projected. */
  wake(): void {
    this.#orders.wake();
    this.#deliveries.wake();
  }

  /** Begins nothing new; what is under way is waited for as long as given, and found again by the next process where that is too short. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#sweep?.cancel();
    await this.#sweeping;
    await Promise.all([this.#orders.drain(timeoutMs), this.#deliveries.drain(timeoutMs)]);
    this.#orders.stop();
    this.#deliveries.stop();
    await this.projections.stop();
  }

  private sweepLater(): void {
    const { scheduler, sweeper, onOrderError } = this.#ports;
    if (this.#isStopping) return;
    this.#sweep = scheduler.after(SWEEP_GAP_MS, () => {
      this.#sweeping = sweeper
        .sweep(() => !this.#isStopping)
        .then(() => undefined)
        .catch((error: unknown) => onOrderError(undefined, error))
        .finally(() => this.sweepLater());
    });
  }

  /** No other process lives: an order whose CVV another one held is ended at once (architecture, rule 5). */
  private async endInterrupted(): Promise<void> {
    const now = this.#clock.now();
    const due = await this.#orderWork.due(addMs(now, CVV_WAIT_MS_MAX), INTERRUPTED_MAX, []);
    for (const item of due) if (CVV_TASKS.has(item.task) && item.dueAt > now) await this.#orderWork.postpone(item, now);
  }
}
