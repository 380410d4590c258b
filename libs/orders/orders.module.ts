import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { OrderNumbers } from '@app/kernel';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, type Ports, provide } from '@app/kernel/injection';
import { Inject, Module, type FactoryProvider } from '@nestjs/common';
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
import { OrderContexts } from './application/order-context';
import { OrderIdSource } from './application/order-ids';
import { OrderRecorder } from './application/order-recorder';
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
import { isContradiction } from './domain';
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
  hints: UnverifiedNotifications,
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

/** A missing or mistyped port does not compile. */
type Made<Given, Wanted> = Given extends Wanted ? FactoryProvider : { readonly lacks: Exclude<keyof Wanted, keyof Given> };

const made = <Wanted, Name extends PortName>(Part: new (given: Wanted) => object, ...names: readonly Name[]) =>
  provide(Part, ports(...names), (given) => new Part(given as Wanted)) as Made<Ports<Pick<typeof PORTS, Name>>, Wanted>;

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
  provide(OrderContexts, ports('store', 'orderIds'), ({ store, orderIds }) => new OrderContexts(store, orderIds)),
  made(OrderRecorder, 'contexts', 'ids', 'clock', 'random', 'scheduler'),
  provide(
    ORDER_ACCEPTANCE,
    {
      ...ports('orderIds', 'store', 'vault', 'sealer', 'cvvQueue', 'screeningRules', 'routingRules', 'routes'),
      ...ports('clock', 'failpoints', 'listener'),
    },
    ({ listener, ...given }) => ({ ...given, onAccepted: (stream) => listener.orderAccepted(stream) }),
  ),
  made(ResolveUnknownOutcome, 'contexts', 'recorder', 'sealer', 'clock'),
  made(ReturnPayer, 'contexts', 'recorder', 'caller', 'claims', 'inquiring', 'gates', 'failpoints'),
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
  provide(RoutingRulesRepository, ports('store', 'clock'), ({ store, clock }) => new RoutingRulesRepository(store, clock)),
  made(RouteOrder, 'accounts', 'gates', 'digests', 'random', 'circuits', 'clock'),
  provide(ScreeningRulesRepository, ports('store', 'clock'), ({ store, clock }) => new ScreeningRulesRepository(store, clock)),
  provide(Velocity, ports('store', 'clock'), ({ store, clock }) => new Velocity(store, clock)),
  made(ScreenOrder, 'rules', 'velocity', 'recorder', 'sealer', 'digests', 'clock'),
  provide(
    InFlightCalls,
    { ...ports('monotonic', 'clock'), isShared: IS_LOG_SHARED },
    ({ monotonic, clock, isShared }) => new InFlightCalls(monotonic, clock, isShared),
  ),
  made(ClaimBeforeSending, 'contexts', 'clock', 'monotonic', 'scheduler'),
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
  provide(GateCapacity, ports('underWay'), ({ underWay }) => new GateCapacity(underWay)),
  provide(
    SubmitAttempt,
    {
      ...ports('recorder', 'caller', 'claims', 'gates', 'vault', 'sealer', 'checking', 'screening'),
      ...ports('payer', 'notifications', 'ids', 'failpoints'),
    },
    (given) => new SubmitAttempt(given),
  ),
  made(InquireAttempt, 'recorder', 'caller', 'gates', 'underWay', 'sealer'),
  made(RequestFollowUpHandler, 'contexts', 'gates', 'sealer', 'clock', 'failpoints'),
  made(SubmitFollowUp, 'recorder', 'caller', 'claims', 'gates', 'notifications', 'ids', 'clock', 'failpoints'),
  made(InquireFollowUp, 'recorder', 'caller', 'gates', 'notifications', 'underWay'),
  provide(
    WorkFollowUp,
    { ...ports('contexts', 'underWay', 'clock'), submitting: SubmitFollowUp, inquiring: InquireFollowUp },
    (given) => new WorkFollowUp(given),
  ),
  made(ResolveUnknownFollowUp, 'contexts', 'recorder', 'sealer', 'clock'),
  provide(
    RecordDisputeReport,
    ports('contexts', 'recorder', 'clock'),
    ({ contexts, recorder, clock }) => new RecordDisputeReport(contexts, recorder, clock),
  ),
  provide(RandomSums, ports('store', 'digests'), ({ store, digests }) => new RandomSums(store, digests)),
  provide(
    QuoteFees,
    ports('gates', 'scheduler', 'random', 'listener'),
    ({ listener, ...given }) => new QuoteFees({ ...given, onAdapterError: (error, gate) => listener.gateFailed({ gate }, error) }),
  ),
  made(CheckOrder, 'merchantServer', 'recorder', 'fees', 'randomSums', 'clock', 'scheduler'),
  made(ConcludeOrder, 'mapping', 'merchantServer', 'randomSums', 'recorder', 'clock'),
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
  made(ChooseFee, 'recorder', 'telling', 'clock', 'monotonic'),
  provide(
    CvvSubmitQueue,
    ports('contexts', 'submitting', 'overdue', 'clock', 'monotonic', 'scheduler', 'listener'),
    ({ listener, ...given }) =>
      new CvvSubmitQueue({ ...given, onError: (stream, error) => listener.workFailed({ stream, task: 'submit' }, error) }),
  ),
  provide(
    SweepOwnerlessCards,
    { store: EVENT_STORE, ...ports('vault', 'clock') },
    ({ vault, store, clock }) => new SweepOwnerlessCards(vault, store, clock),
  ),
  made(RecordReport, 'contexts', 'recorder', 'caller', 'underWay', 'inquiring', 'monotonic', 'scheduler'),
  provide(EarlyReports, ports('monotonic', 'scheduler'), ({ monotonic, scheduler }) => new EarlyReports(monotonic, scheduler)),
  provide(
    UnverifiedNotifications,
    { ...ports('contexts', 'circuits', 'requests', 'agenda', 'monotonic'), listener: GATE_NOTIFICATION_LISTENER },
    (given) => new UnverifiedNotifications(given),
  ),
  provide(
    ReceivedDisputes,
    { contexts: OrderContexts, disputes: RecordDisputeReport },
    ({ contexts, disputes }) => new ReceivedDisputes(contexts, disputes),
  ),
  provide(
    HandleGateNotification,
    { ...ports('gates', 'recording', 'disputes', 'early', 'hints', 'requests', 'agenda'), listener: GATE_NOTIFICATION_LISTENER },
    (given) => new HandleGateNotification(given),
  ),
  made(ReconcileOrder, 'contexts', 'recorder', 'sealer', 'clock', 'attempts', 'followUps', 'unknownOutcomes', 'unknownFollowUps'),
];

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
export class OrdersModule {
  constructor(
    @Inject(OrderRecorder) recorder: OrderRecorder,
    @Inject(InFlightCalls) underWay: InFlightCalls,
    @Inject(GateCapacity) room: GateCapacity,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(ConcludeInBackground) concludeInBackground: ConcludeInBackground,
    @Inject(ORDERS_LISTENER) listener: OrdersListener,
  ) {
    underWay.listen((lane) => {
      cvvQueue.roomChanged(lane);
      room.changed();
    });
    recorder.listen((moved, events) => {
      cvvQueue.orderMoved(moved);
      concludeInBackground.orderMoved(moved);
      listener.orderMoved(moved, events);
      if (events.some(isContradiction)) listener.gateContradicted(moved.stream);
    });
  }
}
