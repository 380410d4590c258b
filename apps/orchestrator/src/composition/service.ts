import { randomUUID } from 'node:crypto';
import { systemClock, systemIds, systemRandom, systemScheduler, type BootId } from '@app/kernel';
import { IssuedReferences, MapCards } from '@app/card-registration';
import { egressPolicyOf, openEgress } from '@app/deliveries';
import { SerialNumbers } from '@app/event-store';
import { openSimulatorLedger } from '@app/gateway-adapters/simulator';
import type { Configuration, OrchestratorEnvironment } from '@app/merchant-accounts';
import { SweepOwnerlessCards } from '@app/order-processing';
import { openReadModel, type ReadModel } from '@app/projections';
import type { ServedRequest } from '../group-a/group-a.edge';
import { PayerPages } from '../group-a/order-status/payer-addresses';
import type { ServiceLog } from '@app/serving';
import type { Health, HealthSource } from '../operator/health.controller';
import type { OperatorDesk } from '../operator/operator-desk';
import { ServiceMetrics } from '../operator/service-metrics';
import { openRateLimit } from '../rate-limit/open-rate-limit';
import type { RateLimit } from '../rate-limit/rate-limit';
import { StreamCallbackFacts } from './callback-facts';
import { decodeAny } from './event-codecs';
import { ConfiguredGates } from './gates';
import { merchantServer, merchantServerEgress } from './group-b';
import { deliveryFacts, StreamNotificationFacts } from './notification-facts';
import { openWorkDefinitions } from './open-work';
import { operatorDesk } from './operator';
import { OrderTruth } from './order-truth';
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
  readonly configuration: Configuration;
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
  readonly operatorDesk: OperatorDesk;
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
    const world = { clock: systemClock, ids: systemIds, random: systemRandom, scheduler: systemScheduler };
    const onOrderError = (stream: string | undefined, error: unknown): void => {
      this.metrics.orderFailed();
      log.failure('order.work-failed', error, { stream });
    };
    const policy = egressPolicyOf(configuration.egress, environment.isProduction);
    const serverEgress = merchantServerEgress(policy);
    this.#closing.push(() => serverEgress.close());
    const issued = new IssuedReferences(store);
    const orders = new OrderTruth(store, readModel.orders, systemScheduler, (error) => log.failure('read-model.unread', error));
    this.#processing = orderProcessing({
      ...world,
      store,
      vault,
      sealer: vault,
      digests: vault,
      gates,
      payer: pages,
      merchantServer: merchantServer({ configuration, egress: serverEgress, references: issued, vault }),
      cardMapping: new MapCards({ ...world, store, digests: vault }),
      failpoints,
      bootId,
      isShared,
      onOrderError,
      onContradiction: (stream) => {
        this.metrics.gateContradicted();
        log.warning('order.gate-contradicts', { stream });
      },
    });
    const { contexts, cvvDesk, followUps, settleOrder, workOrder } = this.#processing;
    this.operatorDesk = operatorDesk({
      ...world,
      store,
      readModel,
      orders,
      sealer: vault,
      accounts,
      settleOrder,
      settleFollowUp: followUps.settle,
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
        onCallbackTried: (tried) => {
          this.metrics.callbackTried(tried);
          if (tried.outcome !== 'delivered') log.warning('callback.failed', { ...tried });
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
      orders,
      policy,
      processing: this.#processing,
      onOrderError,
      onServed,
      onDeviceServed: (served) => {
        this.metrics.deviceServed(served);
        log.info('request.served', { ...served });
      },
      onAmbiguousSignature: () => this.metrics.signatureAmbiguous(),
    });
    this.publicParts = { ...side, health: this };
    this.metrics.watch(() => {
      const projections = this.#workers?.projections.health();
      return {
        cvvHeld: cvvDesk.held,
        workInFlight: this.#workers?.inFlight ?? 0,
        parkedStreams: projections?.parkedStreams ?? 0,
        projectionBehindMs: projections?.behindSince === undefined ? 0 : systemClock.now() - projections.behindSince,
        logLinesLost: log.linesLost,
      };
    });
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
      const waiting: { tell?: (error: Error | undefined) => void } = {};
      const readModel = await openReadModel({
        ...readModelPlace(environment),
        log: store,
        decode: decodeAny,
        clock: systemClock,
        openWork: openWorkDefinitions,
        onWaiting: (error) => waiting.tell?.(error),
      });
      opened.push(() => readModel.close());
      const ledger = await openSimulatorLedger(environment.simulatorLedgerPath, { onBroken });
      opened.push(() => ledger.close());
      const serials = await SerialNumbers.open({ store, clock: systemClock, ids: systemIds, bootId });
      const pages = new PayerPages(configuration.publicBaseUrl + configuration.pathPrefix);
      const gates = new ConfiguredGates(configuration.accounts, ledger, pages, systemClock);
      const rateLimit = await openRateLimit({
        requestsPerSecond: configuration.rateLimit.requestsPerSecond,
        readModel: environment.readModel,
        monotonicMs: () => performance.now(),
        onAway: (error) => log.failure('rate-limit.away', error),
      });
      opened.push(() => rateLimit.close());
      const service = new Service(settings, { stores, readModel, serials, gates, pages, bootId, rateLimit });
      service.#closing.unshift(...opened);
      waiting.tell = (error) => service.waitForProjections(error);
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
    const { cvvDesk, device } = this.#processing;
    cvvDesk.stopWaitingForPeople();
    await withinTime(cvvDesk.drained(), DRAIN_MS);
    await withinTime(device.conclusionDesk.drained(), Math.max(DRAIN_MS - (performance.now() - startedAt), DRAIN_WORK_MS_MIN));
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
