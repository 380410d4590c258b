import { sleep, waitAtMost, type Clock, type Failpoints, type Monotonic, type Scheduled, type Scheduler } from '@app/kernel';
import type { EnvelopeCardVault } from '@app/card-vault';
import { wantedGateOf, type KeepGateToken } from '@app/card-registration';
import type { DeliverCallbackReactor } from '@app/callbacks';
import type { EraseOrder, RetainOrder } from '@app/investigation/erasure';
import {
  DueTimes,
  ReactorRunner,
  SubscriptionRunner,
  type EventStore,
  type OpenWork,
  type Position,
  type StoredEvent,
  type BackgroundThrottle,
  type StreamCopies,
  type WorkItem,
} from '@app/event-store';
import {
  followUpOf,
  ORDERS_WORKED_PER_LANE_MAX,
  type GateCapacity,
  type SweepOwnerlessCards,
  type WorkFollowUp,
  type WorkOrder,
} from '@app/orders';
import type { LogProofs } from '@app/investigation';
import { openWorkProjectionName, type ReadModel } from '@app/read-models';
import { DELIVERY_WORK, ERASURE_WORK, GATE_TOKEN_WORK, ORDER_WORK, RETENTION_WORK } from '@app/read-models/queries';
import { token } from '@app/kernel/injection';
import type { OrdersListener } from '@app/orders/orders.tokens';
import type { RunningWork } from './running-work';
import type { ProjectionSignal } from '../monitoring/order-log';

const INTERRUPTED_PAGE = 1_000;
/** Tasks that wait for the process that holds a CVV. */
const CVV_TASKS = ['interrupt', 'go-on', 'decline-absent-choice'] as const;
const SWEEP_GAP_MS = 60_000;
/** How often the checkpoints are read on a shared log while finished items await projection. */
const CHECKPOINT_POLL_MS = 250;
/** The longest wait of a stop for the last checkpoint; the next process signs the rest. */
const LAST_CHECKPOINT_MS_MAX = 5_000;
const DELIVERIES_PER_LANE_MAX = 48;
/** No caller waits for tokens, so they use few of a gate's connections. */
const GATE_TOKENS_PER_LANE_MAX = 4;
/** All erasures share one partition key, because they are rare and not urgent. */
const ERASURES_MAX = 4;

interface WorkersListener {
  deliveryFailed(item: WorkItem, error: unknown): void;
  /** Work without an order failed: a search for work items, or the sweep of cards. */
  upkeepFailed(task: string, error: unknown): void;
  streamParked(event: StoredEvent, error: Error): void;
  projectionRetrying(error: Error): void;
  /** The wall clock was corrected by this much. */
  clockJumped(byMs: number): void;
}

interface AwaitedCheckpoint {
  readonly projection: string;
  /** The end of the log at the first poll after the wait began. */
  position: Position | undefined;
  readonly resolve: () => void;
}

export const WORKERS_LISTENER = token<WorkersListener>('WORKERS_LISTENER');

export interface WorkerPorts {
  readonly store: EventStore;
  /** True if other processes may use the same log. */
  readonly isShared: boolean;
  readonly copies: Pick<StreamCopies, 'extend'>;
  readonly readModel: ReadModel;
  readonly logProofs: Pick<LogProofs, 'start' | 'stop' | 'health'>;
  readonly workOrder: WorkOrder;
  readonly workFollowUp: WorkFollowUp;
  readonly room: GateCapacity;
  readonly sweeper: SweepOwnerlessCards;
  readonly deliver: DeliverCallbackReactor;
  readonly keepGateToken: KeepGateToken;
  readonly erasing: Pick<EraseOrder, 'goOn'>;
  /** Wraps rows under an older vault key again. */
  readonly vault: Pick<EnvelopeCardVault, 'rewrap'>;
  readonly retaining?: Pick<RetainOrder, 'retain'>;
  readonly news: ProjectionSignal;
  readonly throttle: Pick<BackgroundThrottle, 'start'>;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly failpoints: Failpoints;
  readonly orderListener: Pick<OrdersListener, 'workFailed'>;
  readonly listener: WorkersListener;
}

/** The role `worker`: one subscription projects the read models, and four reactors do the work items. */
export class Workers implements RunningWork {
  readonly projections: SubscriptionRunner;
  readonly logProofs: Pick<LogProofs, 'health'>;
  readonly #orders: ReactorRunner;
  readonly #deliveries: ReactorRunner;
  readonly #gateTokens: ReactorRunner;
  readonly #erasures: ReactorRunner;
  readonly #retention: ReactorRunner | undefined;
  readonly #orderWork: OpenWork;
  readonly #deliveryWork: OpenWork;
  readonly #gateTokenWork: OpenWork;
  readonly #dueTimes: DueTimes;
  readonly #clock: Clock;
  readonly #ports: WorkerPorts;
  readonly #awaited = new Set<AwaitedCheckpoint>();
  #sweep: Scheduled | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(ports: WorkerPorts) {
    const { store, readModel, workOrder, workFollowUp, deliver, keepGateToken, clock, scheduler, failpoints, orderListener, listener } =
      ports;
    this.#clock = clock;
    this.logProofs = ports.logProofs;
    this.#ports = ports;
    this.#orderWork = readModel.openWork(ORDER_WORK);
    this.#deliveryWork = readModel.openWork(DELIVERY_WORK);
    this.#gateTokenWork = readModel.openWork(GATE_TOKEN_WORK);
    const erasureWork = readModel.openWork(ERASURE_WORK);
    const onOrderFailed = (error: Error, item: WorkItem | undefined): void => {
      if (item === undefined) return listener.upkeepFailed('find-due-orders', error);
      const { stream, task, lane, merchant } = item;
      orderListener.workFailed({ stream, task, lane, merchant }, error);
    };
    const onDeliveryFailed = (error: Error, item: WorkItem | undefined): void =>
      item === undefined ? listener.upkeepFailed('find-due-callbacks', error) : listener.deliveryFailed(item, error);
    const foldedInto = (work: string) => async (): Promise<void> => {
      if (ports.isShared) await this.#checkpointReachesEnd(openWorkProjectionName(work));
      else await this.projections.reached(await store.head());
    };
    this.#orders = new ReactorRunner({
      work: this.#orderWork,
      folded: foldedInto(ORDER_WORK),
      clock,
      scheduler,
      run: (item) => {
        const followUp = followUpOf(item);
        return followUp === undefined ? workOrder.work(item.stream) : workFollowUp.work(item.stream, followUp);
      },
      onError: onOrderFailed,
      throttle: ports.throttle,
      inFlightPerLaneMax: ORDERS_WORKED_PER_LANE_MAX,
      busyElsewhere: (lane) => ports.room.busyElsewhere(lane),
    });
    ports.room.tell(() => this.#orders.wake());
    this.#deliveries = new ReactorRunner({
      work: this.#deliveryWork,
      folded: foldedInto(DELIVERY_WORK),
      clock,
      scheduler,
      run: (item) => deliver.on(item),
      onError: onDeliveryFailed,
      throttle: ports.throttle,
      inFlightPerLaneMax: DELIVERIES_PER_LANE_MAX,
    });
    this.#gateTokens = new ReactorRunner({
      work: this.#gateTokenWork,
      folded: foldedInto(GATE_TOKEN_WORK),
      clock,
      scheduler,
      run: (item) => keepGateToken.keep(item.stream, wantedGateOf(item)),
      onError: onOrderFailed,
      inFlightPerLaneMax: GATE_TOKENS_PER_LANE_MAX,
    });
    this.#erasures = new ReactorRunner({
      work: erasureWork,
      folded: foldedInto(ERASURE_WORK),
      clock,
      scheduler,
      run: async ({ stream }) => {
        await ports.erasing.goOn(stream);
        return undefined;
      },
      onError: (error, item) => listener.upkeepFailed(item === undefined ? 'find-due-erasures' : 'erase', error),
      inFlightPerLaneMax: ERASURES_MAX,
    });
    const retention = this.#retentionOf(ports);
    this.#retention = retention?.runner;
    this.#dueTimes = new DueTimes({
      reactors: [
        { work: this.#orderWork, runner: this.#orders },
        { work: this.#deliveryWork, runner: this.#deliveries },
        { work: this.#gateTokenWork, runner: this.#gateTokens },
        { work: erasureWork, runner: this.#erasures },
        ...(retention === undefined ? [] : [retention]),
      ],
      clock,
      monotonic: ports.monotonic,
      scheduler,
      onJump: (byMs) => listener.clockJumped(byMs),
      onError: (error) => listener.upkeepFailed('survey', error),
    });
    this.projections = new SubscriptionRunner({
      store,
      categories: readModel.categories,
      projection: readModel,
      clock,
      scheduler,
      // A file is read as fast as a copy.
      onDelivered: ports.isShared ? (event) => ports.copies.extend([event]) : undefined,
      onBatch: ({ length }) => {
        // An empty batch only moves the checkpoint, and whether one occurs depends on timing.
        if (length > 0) failpoints.reach('P9');
        this.wake();
      },
      onParked: (event, error) => listener.streamParked(event, error),
      onRetry: (error) => listener.projectionRetrying(error),
    });
    ports.news.onArrival(() => this.wake());
  }

  /** On a shared log another process may project, so the checkpoint shows which events the work table contains. The slowest partition counts. */
  #checkpointReachesEnd(projection: string): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.add({ projection, position: undefined, resolve });
      if (this.#awaited.size === 1) void this.#pollCheckpoints();
    });
  }

  /** One poll for all reactors, and one question for the end of the log. */
  async #pollCheckpoints(): Promise<void> {
    const { store, readModel, scheduler } = this.#ports;
    while (!this.#isStopping) {
      const begun = [...this.#awaited].filter(({ position }) => position === undefined);
      const head = begun.length === 0 ? undefined : await store.head().catch(() => undefined);
      for (const awaited of begun) awaited.position = head;
      const checkpoints = await readModel.health().catch(() => []);
      for (const awaited of this.#awaited) {
        const { position } = awaited;
        const reached = checkpoints.find(({ projection }) => projection === awaited.projection)?.position;
        if (reached === undefined || position === undefined || store.comparePositions(reached, position) < 0) continue;
        this.#awaited.delete(awaited);
        awaited.resolve();
      }
      if (this.#awaited.size === 0) return;
      await sleep(scheduler, CHECKPOINT_POLL_MS);
    }
  }

  #retentionOf({
    retaining,
    readModel,
    clock,
    scheduler,
    listener,
  }: WorkerPorts): { readonly work: OpenWork; readonly runner: ReactorRunner } | undefined {
    if (retaining === undefined) return undefined;
    const work = readModel.openWork(RETENTION_WORK);
    const runner = new ReactorRunner({
      work,
      clock,
      scheduler,
      run: ({ stream }) => retaining.retain(stream),
      onError: (error, item) => listener.upkeepFailed(item === undefined ? 'find-old-orders' : 'erase-by-age', error),
      inFlightPerLaneMax: ERASURES_MAX,
    });
    return { work, runner };
  }

  get #runners(): readonly ReactorRunner[] {
    const runners = [this.#orders, this.#deliveries, this.#gateTokens, this.#erasures];
    return this.#retention === undefined ? runners : [...runners, this.#retention];
  }

  get inFlight(): number {
    return this.#runners.reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  get inFlightMax(): number {
    return this.#runners.reduce((sum, { inFlightMax }) => sum + inFlightMax, 0);
  }

  /** On a shared log, work starts at once, because another process may project. A single process first catches up, and ends orders whose CVV is lost. */
  async start(): Promise<void> {
    this.projections.start();
    this.#ports.logProofs.start();
    if (!this.#ports.isShared) {
      await this.projections.caughtUp();
      await this.endInterrupted();
    }
    for (const runner of this.#runners) runner.start();
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

  wake(): void {
    for (const runner of this.#runners) runner.wake();
  }

  /** Waits this long for work in progress; the next process finds the rest. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#sweep?.cancel();
    this.#dueTimes.stop();
    const runners = this.#runners;
    await Promise.all([...runners.map((runner) => runner.drain(timeoutMs)), this.#sweptWithin(timeoutMs)]);
    for (const runner of runners) runner.stop();
    // Before the projector role is released, because another process may then keep the tree.
    await waitAtMost(this.#ports.scheduler, LAST_CHECKPOINT_MS_MAX, this.#ports.logProofs.stop(), () => undefined);
    await this.projections.stop();
  }

  /** Has a time limit, because a store that does not answer would delay the stop for each card. */
  #sweptWithin(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const late = this.#ports.scheduler.after(limitMs, resolve);
      void this.#sweeping.finally(() => {
        late.cancel();
        resolve();
      });
    });
  }

  private sweepLater(): void {
    const { scheduler, sweeper, vault, listener } = this.#ports;
    if (this.#isStopping) return;
    this.#sweep = scheduler.after(SWEEP_GAP_MS, () => {
      this.#sweeping = sweeper
        .sweep(() => !this.#isStopping)
        .then(() => undefined)
        .catch((error: unknown) => listener.upkeepFailed('sweep-cards', error))
        .then(() => vault.rewrap(() => !this.#isStopping))
        .then(() => undefined)
        .catch((error: unknown) => listener.upkeepFailed('rewrap-keys', error))
        .finally(() => this.sweepLater());
    });
  }

  /** No other process runs, so CVVs of a former process are lost and their orders end at once (architecture, rule 5). */
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
