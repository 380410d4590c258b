import { randomUUID } from 'node:crypto';
import { systemClock, systemIds, systemMonotonic, systemRandom, systemScheduler, type BootId } from '@app/kernel';
import { IssuedReferences, MapCards } from '@app/card-registration';
import { egressPolicyOf, openEgress } from '@app/egress';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { openSimulatorLedger } from '@app/gateway-adapters/simulator';
import type { Configuration, Operator, OrchestratorEnvironment } from '@app/configuration';
import { OperatorAudit } from '@app/operator-audit';
import { SweepOwnerlessCards } from '@app/order-processing';
import { openReadModel, type ReadModel } from '@app/projections';
import type { ServedRequest } from '../group-a/group-a.edge';
import { PayerPages } from '../group-a/order-status/payer-addresses';
import type { ServiceLog } from '@app/http-server';
import type { Health, HealthSource } from '../operator/health.controller';
import { OperatorAccess } from '../operator/operator-access';
import type { OperatorService } from '../operator/operator.service';
import { ServiceMetrics } from '../operator/service-metrics';
import { openRateLimit } from '../rate-limit/open-rate-limit';
import type { RateLimit } from '../rate-limit/rate-limit';
import { StreamCallbackFacts } from '@app/order-queries';
import { decodeAny } from '@app/order-queries';
import { ConfiguredGates } from './gates';
import { merchantServer, merchantServerEgress } from './group-b';
import { deliveryFacts, StreamNotificationFacts } from '@app/order-queries';
import { MeasuredGates } from './measured-gates';
import { DELIVERY_WORK, openWorkDefinitions } from '@app/order-queries';
import { operatorService, operatorsOf } from './operator';
import { orderIdSource } from './order-ids';
import { CurrentOrderReader } from '@app/order-queries';
import { OrderLog, type About } from './order-log';
import { orderProcessing, type OrderProcessing } from './processing';
import type { PublicParts } from './public-parts';
import { publicSide } from './public-side';
import { storeHealths } from './store-healths';
import { openStores, readModelPlace, type Stores } from './stores';
import type { TestSwitches } from './test-switches';
import { Workers } from './workers';

/** How long a stop waits in all: for orders that hold a CVV, and then for what is under way (safety, F39). */
const DRAIN_MS = 10_000;
/** What is under way gets so long even where the CVVs took it all: an answer that came in must still be written. */
const DRAIN_WORK_MS_MIN = 1_000;

export interface ServiceSettings {
  readonly environment: OrchestratorEnvironment;
  readonly configuration: Configuration<ConfiguredGate>;
  readonly switches: TestSwitches;
  readonly log: ServiceLog;
  /** The disk failed: nobody knows what is stored, and the process must end without another answer (safety, F25). */
  readonly onBroken: (error: Error) => void;
}

const withinTime = (work: Promise<void>, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const late = systemScheduler.after(limitMs, resolve);
    void work.finally(() => {
      late.cancel();
      resolve();
    });
  });

/** The whole service but its sockets: opened in dependency order, closed in the opposite one. */
export class Service implements HealthSource {
  readonly metrics = new ServiceMetrics();
  readonly publicParts: PublicParts;
  readonly operatorService: OperatorService;
  readonly operatorAccess: OperatorAccess;
  readonly operatorAudit: OperatorAudit;
  readonly #closing: (() => Promise<void>)[] = [];
  readonly #stores: Stores;
  readonly #readModel: ReadModel;
  readonly #processing: OrderProcessing;
  readonly #workers: Workers | undefined;
  readonly #log: ServiceLog;
  #stopping: Promise<void> | undefined;
  #isStanding = false;

  private constructor(
    settings: ServiceSettings,
    parts: {
      readonly stores: Stores;
      readonly readModel: ReadModel;
      readonly serials: SerialNumbers;
      readonly gates: ConfiguredGates;
      readonly pages: PayerPages;
      readonly bootId: BootId;
      readonly rateLimit: RateLimit;
      readonly operators: readonly Operator[];
    },
  ) {
    const { environment, configuration, switches, log } = settings;
    const { stores, readModel, gates, pages, bootId } = parts;
    const { vault } = stores;
    const { store, isShared } = stores.log;
    const { failpoints } = switches;
    const { accounts } = configuration;
    this.#stores = stores;
    this.#readModel = readModel;
    this.#log = log;
    const world = { clock: systemClock, monotonic: systemMonotonic, ids: systemIds, random: systemRandom, scheduler: systemScheduler };
    const orderLog = new OrderLog(log, environment);
    const onOrderError = (about: About, error: unknown): void => {
      this.metrics.orderFailed();
      orderLog.workFailed(about, error);
    };
    const policy = egressPolicyOf(configuration.egress, environment.isProduction);
    const serverEgress = merchantServerEgress(policy);
    this.#closing.push(() => serverEgress.close());
    const issued = new IssuedReferences(store);
    const deadlines = new RequestDeadlines(systemScheduler, systemMonotonic);
    const guarded = deadlines.guarding(store);
    const orderIds = orderIdSource({ configuration, store: guarded, keys: vault, bootId, log, metrics: this.metrics });
    const orders = new CurrentOrderReader(store, orderIds, readModel.orders, systemScheduler, (error) =>
      log.failure('read-model.unread', error),
    );
    this.#processing = orderProcessing({
      ...world,
      store: guarded,
      orderIds,
      vault,
      sealer: vault,
      digests: vault,
      gates: new MeasuredGates(gates, this.metrics.gates),
      payer: pages,
      merchantServer: merchantServer({ configuration, egress: serverEgress, references: issued, vault }),
      cardMapping: new MapCards({ ...world, store, digests: vault }),
      failpoints,
      bootId,
      isShared,
      onOrderError,
      onGateError: (call, error) => {
        this.metrics.orderFailed();
        orderLog.gateFailed(call, error);
      },
      onLateAnswer: (call, answer) => orderLog.gateAnsweredLate(call, answer),
      onContradiction: () => this.metrics.gateContradicted(),
      onOrderMoved: (order, events) => {
        this.metrics.orders.moved(order, events);
        orderLog.moved(order, events);
      },
    });
    const { contexts, cvvQueue, followUps, resolveUnknownOutcome, workOrder } = this.#processing;
    const onUnwritten = (error: unknown): void => log.failure('operator.unrecorded', error);
    this.operatorAudit = new OperatorAudit({ ...world, store, bootId, onUnwritten });
    this.#closing.push(() => this.operatorAudit.stop());
    this.operatorAccess = new OperatorAccess(parts.operators, this.operatorAudit);
    this.operatorService = operatorService({
      ...world,
      store,
      readModel,
      orders,
      sealer: vault,
      accounts,
      audit: this.operatorAudit,
      resolveUnknownOutcome,
      resolveUnknownFollowUp: followUps.settle,
    });
    if (environment.roles.has('worker')) {
      const egress = openEgress({ policy, scheduler: systemScheduler });
      this.#closing.push(() => egress.close());
      this.#workers = new Workers({
        ...world,
        store,
        isShared,
        readModel,
        workOrder,
        workFollowUp: followUps.work,
        room: this.#processing.room,
        sweeper: new SweepOwnerlessCards(vault, store, systemClock),
        facts: deliveryFacts(new StreamCallbackFacts(orders, vault, accounts), new StreamNotificationFacts(store, contexts, vault)),
        egress,
        accounts,
        speedFactor: configuration.callbacks.speedFactor,
        failpoints,
        bootId,
        onOrderError,
        onParked: (event, error) => {
          this.metrics.streamParked();
          log.failure('projection.parked', error, { stream: event.stream, revision: event.revision });
        },
        onRetry: (error) => log.failure('projection.retrying', error),
        onDeliveryError: (item, error) => {
          this.metrics.orderFailed();
          orderLog.deliveryFailed(item, error);
        },
        onUpkeepError: (task, error) => {
          this.metrics.orderFailed();
          orderLog.upkeepFailed(task, error);
        },
        onClockJump: (byMs) => log.warning('clock.jumped', { byMs }),
        onCallbackTried: (tried) => {
          this.metrics.callbackTried(tried);
          orderLog.callbackTried(tried);
        },
      });
    }
    const onServed = (served: ServedRequest): void => {
      this.metrics.served(served);
      log.info('request.served', { ...served });
    };
    const side = publicSide({
      ...settings,
      ...parts,
      issued,
      orderIds,
      orders,
      policy,
      processing: this.#processing,
      deadlines,
      onOrderError,
      onServed,
      onDeviceServed: (served) => {
        this.metrics.deviceServed(served);
        log.info('request.served', { ...served });
      },
      onAmbiguousSignature: () => this.metrics.signatureAmbiguous(),
      onOrderTaken: (stream) => this.metrics.orders.accepted(stream),
    });
    this.publicParts = { ...side, health: this };
    const { openCounts } = readModel;
    this.metrics.watch(() => {
      const projections = this.#workers?.projections.health();
      return {
        cvvHeld: cvvQueue.held,
        cvvHeldMax: cvvQueue.heldMax,
        workInFlight: this.#workers?.inFlight ?? 0,
        workInFlightMax: this.#workers?.inFlightMax ?? 0,
        parkedStreams: projections?.parkedStreams ?? 0,
        projectionBehindMs: projections?.behindSince === undefined ? 0 : systemClock.now() - projections.behindSince,
      };
    }, [
      { name: 'unknown_orders', what: 'Orders with an outcome that nobody knows', ask: () => openCounts.unknownOutcomes() },
      { name: 'callbacks_waiting', what: 'Callbacks that were not delivered yet', ask: () => openCounts.openWork(DELIVERY_WORK) },
    ]);
  }

  /** Opens every store. @throws Error with one line that says which one is wrong */
  static async open(settings: ServiceSettings): Promise<Service> {
    const { environment, configuration, switches, log, onBroken } = settings;
    const bootId = randomUUID() as BootId;
    const stores = await openStores(environment, systemClock, switches, onBroken);
    const { store } = stores.log;
    const opened: (() => Promise<void>)[] = [() => store.close(), () => stores.vault.close()];
    try {
      // Told before there is a service to hear it.
      const waiting: { tell?: (error: Error | undefined) => void; parked?: () => void } = {};
      const rotten: { count?: () => void } = {};
      const readModel = await openReadModel({
        ...readModelPlace(environment),
        log: store,
        decode: decodeAny,
        clock: systemClock,
        openWork: openWorkDefinitions,
        onWaiting: (error) => waiting.tell?.(error),
        onParked: ({ parkedAt: _, error, ...parked }) => {
          waiting.parked?.();
          log.failure('projection.parked', new Error(error), parked);
        },
        onAheadOfLog: (projections) =>
          log.failure('projection.ahead-of-log', new Error('the log ends before what was folded from it: it is folded anew'), {
            projections,
          }),
        onCorruptRow: (row) => {
          log.failure('read-model.row-rotten', new Error('a row does not hold what was written: its stream was folded anew'), { ...row });
          rotten.count?.();
        },
      });
      opened.push(() => readModel.close());
      // Before the first append of this process, which may come to stand where an event was lost.
      await readModel.abandonAheadOfLog();
      const ledger = await openSimulatorLedger(environment.simulatorLedgerPath, { onBroken });
      opened.push(() => ledger.close());
      const serials = await SerialNumbers.open({ store, clock: systemClock, ids: systemIds, bootId });
      const pages = new PayerPages(configuration.publicBaseUrl + configuration.pathPrefix);
      const gates = new ConfiguredGates(configuration.accounts, ledger, pages, systemClock, switches.silentGate);
      const rateLimit = await openRateLimit({
        requestsPerSecond: configuration.rateLimit.requestsPerSecond,
        readModel: environment.readModel,
        monotonicMs: () => performance.now(),
        onAway: (error) => log.failure('rate-limit.away', error),
      });
      opened.push(() => rateLimit.close());
      // Behind the stores: the lock of the log says that no other process runs on these files.
      const operators = operatorsOf(configuration.operators, environment);
      const service = new Service(settings, { stores, readModel, serials, gates, pages, bootId, rateLimit, operators });
      service.#closing.unshift(...opened);
      waiting.parked = () => service.metrics.streamParked();
      waiting.tell = (error) => service.waitForProjections(error);
      rotten.count = () => service.metrics.rowRotten();
      return service;
    } catch (error) {
      for (const close of opened.reverse()) await close();
      throw error;
    }
  }

  /** Another process projects: what it projected may be due here too. */
  private waitForProjections(error: Error | undefined): void {
    if (error !== undefined) this.#log.failure('projection.retrying', error);
    this.#workers?.wake();
  }

  async start(): Promise<void> {
    await this.#workers?.start();
    this.#isStanding = true;
  }

  /** Not ready from now on, so that a balancer sends nothing more; what comes all the same is served. */
  standDown(): void {
    this.#isStanding = false;
  }

  /** Orders that hold a CVV first, for nobody else can go on with them, but those that wait for a person; then what is under way; then the stores. Twice is once. */
  stop(): Promise<void> {
    this.standDown();
    this.#stopping ??= this.drainAndClose();
    return this.#stopping;
  }

  private async drainAndClose(): Promise<void> {
    const startedAt = performance.now();
    const { cvvQueue, device } = this.#processing;
    cvvQueue.stopWaitingForPeople();
    await withinTime(cvvQueue.drained(), DRAIN_MS);
    await withinTime(device.inlineConclusion.drained(), Math.max(DRAIN_MS - (performance.now() - startedAt), DRAIN_WORK_MS_MIN));
    await this.#workers?.stop(Math.max(DRAIN_MS - (performance.now() - startedAt), DRAIN_WORK_MS_MIN));
    for (const close of this.#closing.reverse()) await close().catch((error: unknown) => this.#log.failure('stop.close-failed', error));
  }

  async health(): Promise<Health> {
    const stores = await storeHealths({
      store: this.#stores.log.store,
      vault: this.#stores.vault,
      readModel: this.#readModel,
      projections: this.#workers?.projections,
      clock: systemClock,
      log: this.#log,
    });
    return { isReady: this.#isStanding && Object.values(stores).every(({ isReady }) => isReady), stores };
  }
}
