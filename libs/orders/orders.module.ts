import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { StreamCopies, type AnyEvent } from '@app/event-store';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { OrderNumbers } from '@app/kernel';
import { built, made, BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, provide } from '@app/kernel/injection';
import { Inject, Module, type FactoryProvider, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { RouteOrder } from './application/acceptance/route-order';
import { InFlightCalls, GateCapacity } from './application/gates/in-flight-calls';
import { CheckOrder } from './application/gates/check-order';
import { CvvSubmitQueue } from './application/gates/cvv-submit-queue';
import { EarlyReports } from './application/gates/early-reports';
import { GateCaller } from './application/gates/gate-caller';
import { HandleGateNotification } from './application/gates/handle-gate-notification';
import { ReceivedDisputes, RecordDisputeReport } from './application/gates/record-dispute-report';
import { UnverifiedNotifications } from './application/gates/unverified-notifications';
import { ClaimBeforeSending } from './application/gates/claim-before-sending';
import { InquireAttempt } from './application/gates/inquire-attempt';
import { QuoteFees } from './application/gates/quote-fees';
import { RandomSums } from './application/gates/random-sums';
import { RecordReport } from './application/gates/record-gate-report';
import { SubmitAttempt } from './application/gates/submit-attempt';
import { MonotonicWait, WorkOrder } from './application/work/work-order.reactor';
import { OrderContexts, type OpenOrder } from './application/order-context';
import { OrderIdSource } from './application/order-ids';
import { OrderRecorder } from './application/order-recorder';
import { OrderSwitches } from './application/rules/order-switches';
import { RoutingRulesRepository } from './application/rules/routing-rules-repository';
import { ScreenOrder } from './application/rules/screen-order';
import { ScreeningRulesRepository } from './application/rules/screening-rules';
import { Velocity } from './application/rules/velocity';
import { ChooseFee, TellFeeChoice } from './application/work/tell-fee-choice';
import { ConcludeOrder, ConcludeInBackground } from './application/work/conclude-order';
import { InquireFollowUp } from './application/work/inquire-follow-up';
import { ReconcileOrder } from './application/work/reconcile-order';
import { RequestFollowUpHandler } from './application/work/request-follow-up.handler';
import { ResolveUnknownFollowUp, ResolveUnknownOutcome } from './application/work/resolve-unknown-outcome';
import { ReturnPayer } from './application/work/return-payer';
import { SubmitFollowUp } from './application/work/submit-follow-up';
import { SweepOwnerlessCards } from './application/work/sweep-ownerless-cards';
import { WorkFollowUp } from './application/work/work-follow-up.reactor';
import { isContradiction, isEventOf, needsAttention } from './domain';
import { orderHoldsStream } from './events/order-holds.codec';
import {
  CARD_MAPPING,
  GATE_CIRCUITS,
  GATE_NOTIFICATION_LISTENER,
  MERCHANT_SERVER,
  NOTIFICATION_ADDRESSES,
  ORDERS_LISTENER,
  ORDER_ACCEPTANCE,
  ORDER_AGENDA,
  type OrdersListener,
  PAYER_ADDRESSES,
  REQUEST_INDEX,
} from './orders.tokens';

const PORTS = {
  accounts: ACCOUNTS,
  agenda: ORDER_AGENDA,
  attempts: InquireAttempt,
  bootId: BOOT_ID,
  caller: GateCaller,
  checking: CheckOrder,
  circuits: GATE_CIRCUITS,
  claims: ClaimBeforeSending,
  clock: CLOCK,
  concluding: ConcludeOrder,
  contexts: OrderContexts,
  cvvQueue: CvvSubmitQueue,
  digests: CARD_VAULT,
  disputes: ReceivedDisputes,
  early: EarlyReports,
  failpoints: FAILPOINTS,
  fees: QuoteFees,
  followUps: InquireFollowUp,
  gates: GATES,
  unverified: UnverifiedNotifications,
  ids: IDS,
  inquiring: InquireAttempt,
  mapping: CARD_MAPPING,
  merchantServer: MERCHANT_SERVER,
  monotonic: MONOTONIC,
  notifications: NOTIFICATION_ADDRESSES,
  orderIds: OrderIdSource,
  overdue: InFlightCalls,
  payer: PAYER_ADDRESSES,
  random: RANDOM,
  randomSums: RandomSums,
  recorder: OrderRecorder,
  recording: RecordReport,
  requests: REQUEST_INDEX,
  routes: RouteOrder,
  routingRules: RoutingRulesRepository,
  rules: ScreeningRulesRepository,
  scheduler: SCHEDULER,
  screening: ScreenOrder,
  screeningRules: ScreeningRulesRepository,
  sealer: CARD_VAULT,
  store: REQUEST_EVENT_STORE,
  switches: OrderSwitches,
  submitting: SubmitAttempt,
  telling: TellFeeChoice,
  underWay: InFlightCalls,
  unknownFollowUps: ResolveUnknownFollowUp,
  unknownOutcomes: ResolveUnknownOutcome,
  vault: CARD_VAULT,
  velocity: Velocity,
  listener: ORDERS_LISTENER,
} as const;
type PortName = keyof typeof PORTS;

const ports = <Name extends PortName>(...names: readonly Name[]): Pick<typeof PORTS, Name> =>
  Object.fromEntries(names.map((name) => [name, PORTS[name]])) as Pick<typeof PORTS, Name>;

const PROVIDERS: readonly FactoryProvider[] = [
  provide(
    OrderIdSource,
    { configuration: CONFIGURATION, ...ports('store', 'vault', 'clock', 'ids', 'random', 'bootId', 'listener') },
    ({ configuration, vault, listener, ...given }) => {
      const numbers = new OrderNumbers((bytes) => vault.keyStream('order numbers', bytes));
      // With textual ids, only older orders with numeric ids need them.
      if (configuration.orderIds === 'numeric') numbers.prepare();
      return new OrderIdSource({
        ...given,
        form: configuration.orderIds,
        numbers,
        onReserved: (used) => listener.orderNumbersReserved(used),
      });
    },
  ),
  built(OrderContexts, PORTS.store, PORTS.orderIds, StreamCopies),
  made(OrderRecorder, ports('contexts', 'ids', 'clock', 'random', 'scheduler')),
  provide(
    ORDER_ACCEPTANCE,
    {
      ...ports('orderIds', 'store', 'vault', 'sealer', 'cvvQueue', 'screeningRules', 'routingRules', 'routes'),
      ...ports('clock', 'failpoints', 'listener'),
    },
    ({ listener, ...given }) => ({ ...given, onAccepted: (stream) => listener.orderAccepted(stream) }),
  ),
  made(ResolveUnknownOutcome, ports('contexts', 'recorder', 'sealer', 'clock')),
  made(ReturnPayer, ports('contexts', 'recorder', 'caller', 'claims', 'inquiring', 'gates', 'failpoints')),
  provide(
    WorkOrder,
    {
      ...ports('contexts', 'recorder', 'submitting', 'inquiring', 'concluding', 'underWay', 'clock', 'monotonic', 'bootId'),
      isShared: IS_LOG_SHARED,
    },
    ({ monotonic, bootId, isShared, ...given }) => {
      // In a single process, a holder with another boot id is gone; with several, it may be one of them.
      const isHolderGone = (holder: string): boolean => !isShared && holder !== bootId;
      return new WorkOrder({ ...given, patience: new MonotonicWait(given.clock, monotonic), isHolderGone });
    },
  ),
  built(RoutingRulesRepository, PORTS.store, PORTS.clock),
  made(RouteOrder, ports('accounts', 'gates', 'digests', 'random', 'circuits', 'switches', 'clock')),
  provide(
    OrderSwitches,
    { log: EVENT_STORE, ...ports('accounts', 'sealer', 'clock', 'ids', 'scheduler', 'listener') },
    ({ log, listener, ...given }) =>
      new OrderSwitches({
        ...given,
        store: log,
        onError: (error) => listener.workFailed({ stream: orderHoldsStream(), task: 'follow' }, error),
      }),
  ),
  built(ScreeningRulesRepository, PORTS.store, PORTS.clock),
  built(Velocity, PORTS.store, PORTS.clock),
  made(ScreenOrder, ports('rules', 'velocity', 'recorder', 'sealer', 'digests', 'clock')),
  built(InFlightCalls, PORTS.monotonic, PORTS.clock, IS_LOG_SHARED),
  made(ClaimBeforeSending, ports('contexts', 'clock', 'monotonic', 'scheduler')),
  provide(
    GateCaller,
    ports('sealer', 'digests', 'clock', 'random', 'scheduler', 'underWay', 'listener'),
    ({ listener, ...given }) =>
      new GateCaller({
        ...given,
        onAdapterError: (error, call) => listener.gateFailed(call, error),
        onLateAnswer: (call, answer) => listener.gateAnsweredLate(call, answer),
      }),
  ),
  built(GateCapacity, PORTS.underWay),
  made(SubmitAttempt, {
    ...ports('recorder', 'caller', 'claims', 'gates', 'vault', 'sealer', 'checking', 'screening'),
    ...ports('payer', 'notifications', 'ids', 'failpoints'),
  }),
  made(InquireAttempt, ports('recorder', 'caller', 'gates', 'underWay', 'sealer')),
  made(RequestFollowUpHandler, ports('contexts', 'gates', 'sealer', 'clock', 'failpoints')),
  made(SubmitFollowUp, ports('recorder', 'caller', 'claims', 'gates', 'notifications', 'ids', 'clock', 'failpoints')),
  made(InquireFollowUp, ports('recorder', 'caller', 'gates', 'notifications', 'underWay')),
  made(WorkFollowUp, { ...ports('contexts', 'underWay', 'clock'), submitting: SubmitFollowUp, inquiring: InquireFollowUp }),
  made(ResolveUnknownFollowUp, ports('contexts', 'recorder', 'sealer', 'clock')),
  built(RecordDisputeReport, PORTS.contexts, PORTS.recorder, PORTS.clock),
  built(RandomSums, PORTS.store, PORTS.digests),
  provide(
    QuoteFees,
    ports('gates', 'scheduler', 'random', 'listener'),
    ({ listener, ...given }) => new QuoteFees({ ...given, onAdapterError: (error, gate) => listener.gateFailed({ gate }, error) }),
  ),
  made(CheckOrder, ports('merchantServer', 'recorder', 'fees', 'randomSums', 'clock', 'scheduler')),
  made(ConcludeOrder, ports('mapping', 'merchantServer', 'randomSums', 'recorder', 'clock')),
  provide(
    ConcludeInBackground,
    ports('concluding', 'clock', 'listener'),
    ({ concluding, clock, listener }) =>
      new ConcludeInBackground(concluding, clock, (stream, error) => listener.workFailed({ stream, task: 'conclude' }, error)),
  ),
  provide(
    TellFeeChoice,
    ports('gates', 'sealer', 'underWay', 'scheduler', 'random', 'listener'),
    ({ listener, ...given }) => new TellFeeChoice({ ...given, onAdapterError: (error, call) => listener.gateFailed(call, error) }),
  ),
  made(ChooseFee, ports('recorder', 'telling', 'clock', 'monotonic')),
  provide(
    CvvSubmitQueue,
    ports('contexts', 'submitting', 'overdue', 'clock', 'monotonic', 'scheduler', 'listener'),
    ({ listener, ...given }) =>
      new CvvSubmitQueue({ ...given, onError: (stream, error) => listener.workFailed({ stream, task: 'submit' }, error) }),
  ),
  built(SweepOwnerlessCards, PORTS.vault, EVENT_STORE, PORTS.clock),
  made(RecordReport, ports('contexts', 'recorder', 'caller', 'underWay', 'inquiring', 'monotonic', 'scheduler')),
  built(EarlyReports, PORTS.monotonic, PORTS.scheduler),
  made(UnverifiedNotifications, {
    ...ports('contexts', 'circuits', 'requests', 'agenda', 'monotonic'),
    listener: GATE_NOTIFICATION_LISTENER,
  }),
  built(ReceivedDisputes, OrderContexts, RecordDisputeReport),
  made(HandleGateNotification, {
    ...ports('gates', 'recording', 'disputes', 'early', 'unverified', 'requests', 'agenda'),
    listener: GATE_NOTIFICATION_LISTENER,
  }),
  made(ReconcileOrder, ports('contexts', 'recorder', 'sealer', 'clock', 'attempts', 'followUps', 'unknownOutcomes', 'unknownFollowUps')),
];

/** An operator has to be alerted. */
const isAlarm = (event: AnyEvent): boolean => isContradiction(event) || (isEventOf(event, 'report') && needsAttention(event));

/**
 * Each context registers its category, decider and codec here (architecture, rule 14). The importing module provides the tokens of orders.tokens.ts.
 */
@Module({
  providers: [...PROVIDERS],
  exports: [
    ChooseFee,
    CvvSubmitQueue,
    GateCapacity,
    HandleGateNotification,
    ConcludeInBackground,
    ORDER_ACCEPTANCE,
    OrderContexts,
    OrderIdSource,
    OrderSwitches,
    RecordDisputeReport,
    ReconcileOrder,
    RequestFollowUpHandler,
    ResolveUnknownFollowUp,
    ResolveUnknownOutcome,
    ReturnPayer,
    RouteOrder,
    SweepOwnerlessCards,
    WorkFollowUp,
    WorkOrder,
  ],
})
export class OrdersModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(OrderRecorder) recorder: OrderRecorder,
    @Inject(InFlightCalls) underWay: InFlightCalls,
    @Inject(GateCapacity) room: GateCapacity,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(ConcludeInBackground) concludeInBackground: ConcludeInBackground,
    @Inject(ORDERS_LISTENER) listener: OrdersListener,
    @Inject(OrderSwitches) private readonly switches: OrderSwitches,
  ) {
    underWay.listen((lane) => {
      cvvQueue.roomChanged(lane);
      room.changed();
    });
    const report = (order: OpenOrder, events: readonly AnyEvent[]): void => {
      listener.orderMoved(order, events);
      if (events.some(isContradiction)) listener.gateContradicted(order.stream);
    };
    recorder.listen({
      moved: (order, events) => {
        cvvQueue.orderMoved(order);
        concludeInBackground.orderMoved(order);
        report(order, events);
      },
      // An alarm is raised twice rather than never.
      perhapsMoved: (before, events) => report(before, events.filter(isAlarm)),
    });
  }

  /** Before the process accepts an order. */
  onApplicationBootstrap(): Promise<void> {
    return this.switches.start();
  }

  onApplicationShutdown(): void {
    this.switches.stop();
  }
}
