import type { Clock, Failpoints, Monotonic, Scheduled, Scheduler } from '@app/kernel';
import type { DeliverCallbackReactor } from '@app/deliveries';
import {
  DueTimes,
  ReactorRunner,
  SubscriptionRunner,
  type EventStore,
  type OpenWork,
  type StoredEvent,
  type WorkItem,
} from '@app/event-store';
import {
  followUpOf,
  ORDERS_WORKED_PER_LANE_MAX,
  type GateRoom,
  type SweepOwnerlessCards,
  type WorkFollowUp,
  type WorkOrder,
} from '@app/order-processing';
import type { ReadModel } from '@app/projections';
import { DELIVERY_WORK, ORDER_WORK } from '@app/order-queries';
import { token } from '@app/injection';
import type { OrderProcessingWatch } from '@app/order-processing/order-processing.tokens';
import type { RunningWork } from './running-work';
import type { ProjectionNews } from '../monitoring/projection-news';

/** Interrupted orders that are looked at together when the service starts. */
const INTERRUPTED_PAGE = 1_000;
/** Of `orderWork`: what waits for a process that holds a CVV, before the first attempt, between two, and while the consumer chooses a fee. */
const CVV_TASKS = ['interrupt', 'go-on', 'decline-absent-choice'] as const;
const SWEEP_GAP_MS = 60_000;

/** Hears what goes wrong with what is due, and with the projections. */
export interface WorkersWatch {
  deliveryFailed(item: WorkItem, error: unknown): void;
  /** Of no order: a reactor's memory could not be read, or the sweep failed. */
  upkeepFailed(task: string, error: unknown): void;
  streamParked(event: StoredEvent, error: Error): void;
  projectionRetrying(error: Error): void;
  /** The wall clock was set, by so much. */
  clockJumped(byMs: number): void;
}

export const WORKERS_WATCH = token<WorkersWatch>('WORKERS_WATCH');

export interface WorkerPorts {
  readonly store: EventStore;
  /** Other processes work on the same log. */
  readonly isShared: boolean;
  readonly readModel: ReadModel;
  readonly workOrder: WorkOrder;
  readonly workFollowUp: WorkFollowUp;
  readonly room: GateRoom;
  readonly sweeper: SweepOwnerlessCards;
  readonly deliver: DeliverCallbackReactor;
  /** Another process may have projected something that is due. */
  readonly news: ProjectionNews;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly failpoints: Failpoints;
  readonly orderWatch: Pick<OrderProcessingWatch, 'workFailed'>;
  readonly watch: WorkersWatch;
}

/** The role `worker`: one subscription folds the read models and the reactors' memories; two reactors do what is due. */
export class Workers implements RunningWork {
  readonly projections: SubscriptionRunner;
  readonly #orders: ReactorRunner;
  readonly #deliveries: ReactorRunner;
  readonly #orderWork: OpenWork;
  readonly #deliveryWork: OpenWork;
  readonly #dueTimes: DueTimes;
  readonly #clock: Clock;
  readonly #ports: WorkerPorts;
  #sweep: Scheduled | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(ports: WorkerPorts) {
    const { store, readModel, workOrder, workFollowUp, deliver, clock, scheduler, failpoints, orderWatch, watch } = ports;
    this.#clock = clock;
    this.#ports = ports;
    this.#orderWork = readModel.openWork(ORDER_WORK);
    this.#deliveryWork = readModel.openWork(DELIVERY_WORK);
    const onOrderFailed = (error: Error, item: WorkItem | undefined): void => {
      if (item === undefined) return watch.upkeepFailed('find-due-orders', error);
      const { stream, task, lane, merchant } = item;
      orderWatch.workFailed({ stream, task, lane, merchant }, error);
    };
    const onDeliveryFailed = (error: Error, item: WorkItem | undefined): void =>
      item === undefined ? watch.upkeepFailed('find-due-callbacks', error) : watch.deliveryFailed(item, error);
    this.#orders = new ReactorRunner({
      work: this.#orderWork,
      clock,
      scheduler,
      run: async (item) => {
        const followUp = followUpOf(item);
        const dueAgainAt = await (followUp === undefined ? workOrder.work(item.stream) : workFollowUp.work(item.stream, followUp));
        if (dueAgainAt !== undefined) await this.#orderWork.postpone(item, dueAgainAt);
      },
      onError: onOrderFailed,
      inFlightPerLaneMax: ORDERS_WORKED_PER_LANE_MAX,
      busyElsewhere: (lane) => ports.room.busyElsewhere(lane),
    });
    ports.room.tell(() => this.#orders.wake());
    this.#deliveries = new ReactorRunner({
      work: this.#deliveryWork,
      clock,
      scheduler,
      run: async (item) => {
        const dueAgainAt = await deliver.on(item);
        if (dueAgainAt !== undefined) await this.#deliveryWork.postpone(item, dueAgainAt);
      },
      onError: onDeliveryFailed,
      inFlightPerLaneMax: 48,
    });
    this.#dueTimes = new DueTimes({
      reactors: [
        { work: this.#orderWork, runner: this.#orders },
        { work: this.#deliveryWork, runner: this.#deliveries },
      ],
      clock,
      monotonic: ports.monotonic,
      scheduler,
      onJump: (byMs) => watch.clockJumped(byMs),
      onError: (error) => watch.upkeepFailed('survey', error),
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
      onParked: (event, error) => watch.streamParked(event, error),
      onRetry: (error) => watch.projectionRetrying(error),
    });
    ports.news.tell(() => this.wake());
  }

  get inFlight(): number {
    return this.#orders.inFlight + this.#deliveries.inFlight;
  }

  get inFlightMax(): number {
    return this.#orders.inFlightMax + this.#deliveries.inFlightMax;
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
    this.#dueTimes.start();
    if (this.#ports.isShared)
      void this.projections.caughtUp().then(
        () => this.#surveyIfRunning(),
        () => undefined,
      );
    this.sweepLater();
  }

  #surveyIfRunning(): void {
    if (!this.#isStopping) this.#dueTimes.surveyAll();
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
    this.#dueTimes.stop();
    await this.#sweeping;
    await Promise.all([this.#orders.drain(timeoutMs), this.#deliveries.drain(timeoutMs)]);
    this.#orders.stop();
    this.#deliveries.stop();
    await this.projections.stop();
  }

  private sweepLater(): void {
    const { scheduler, sweeper, watch } = this.#ports;
    if (this.#isStopping) return;
    this.#sweep = scheduler.after(SWEEP_GAP_MS, () => {
      this.#sweeping = sweeper
        .sweep(() => !this.#isStopping)
        .then(() => undefined)
        .catch((error: unknown) => watch.upkeepFailed('sweep-cards', error))
        .finally(() => this.sweepLater());
    });
  }

  /** No other process lives: an order whose CVV another one held is ended at once (architecture, rule 5). */
  private async endInterrupted(): Promise<void> {
    const now = this.#clock.now();
    let after = '';
    for (;;) {
      const page = await this.#orderWork.list({ limit: INTERRUPTED_PAGE, after, tasks: CVV_TASKS });
      for (const item of page) if (item.dueAt > now) await this.#orderWork.postpone(item, now);
      const last = page.at(-1);
      if (last === undefined || page.length < INTERRUPTED_PAGE) return;
      after = last.key;
    }
  }
}
