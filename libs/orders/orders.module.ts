import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { OrderNumbers } from '@app/kernel';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, provide } from '@app/kernel/injection';
import { Inject, Module } from '@nestjs/common';
import { RouteOrder } from './application/acceptance/route-order';
import { CallsUnderWay } from './application/gates/calls-under-way';
import { CheckOrder } from './application/gates/check-order';
import { CvvSubmitQueue } from './application/gates/cvv-submit-queue';
import { EarlyReports } from './application/gates/early-reports';
import { GateCaller } from './application/gates/gate-caller';
import { GateRoom } from './application/gates/gate-room';
import { HearGate } from './application/gates/hear-gate';
import { HeardDisputes } from './application/gates/heard-disputes';
import { Hints } from './application/gates/hints';
import { HoldClaim } from './application/gates/hold-claim';
import { InquireAttempt } from './application/gates/inquire-attempt';
import { QuoteFees } from './application/gates/quote-fees';
import { RandomSums } from './application/gates/random-sums';
import { RecordDisputeReport } from './application/gates/record-dispute-report';
import { RecordReport } from './application/gates/record-gate-report';
import { SubmitAttempt } from './application/gates/submit-attempt';
import { MonotonicWait } from './application/monotonic-wait';
import { OrderContexts } from './application/order-context';
import { OrderIdSource } from './application/order-ids';
import { OrderRecorder } from './application/order-recorder';
import { RoutingRulesRepository } from './application/rules/routing-rules-repository';
import { ScreenOrder } from './application/rules/screen-order';
import { ScreeningRulesRepository } from './application/rules/screening-rules-repository';
import { Velocity } from './application/rules/velocity';
import { ChooseFee } from './application/work/choose-fee';
import { ConcludeOrder } from './application/work/conclude-order';
import { InlineConclusion } from './application/work/inline-conclusion';
import { InquireFollowUp } from './application/work/inquire-follow-up';
import { ReconcileOrder } from './application/work/reconcile-order';
import { RequestFollowUpHandler } from './application/work/request-follow-up.handler';
import { ResolveUnknownFollowUp } from './application/work/resolve-unknown-follow-up';
import { ResolveUnknownOutcome } from './application/work/resolve-unknown-outcome';
import { ReturnPayer } from './application/work/return-payer';
import { SubmitFollowUp } from './application/work/submit-follow-up';
import { SweepOwnerlessCards } from './application/work/sweep-ownerless-cards';
import { TellFeeChoice } from './application/work/tell-fee-choice';
import { WorkFollowUp } from './application/work/work-follow-up.reactor';
import { WorkOrder } from './application/work/work-order.reactor';
import { isContradiction } from './domain';
import {
  CARD_MAPPING,
  GATE_CIRCUITS,
  HEARING_WATCH,
  MERCHANT_SERVER,
  NOTIFICATION_ADDRESSES,
  ORDERS_WATCH,
  ORDER_ACCEPTANCE,
  ORDER_AGENDA,
  type OrdersWatch,
  PAYER_ADDRESSES,
  REQUEST_INDEX,
} from './orders.tokens';

const PROVIDERS = [
  // What takes an order in, knows it by its id, and carries it on.
  provide(
    OrderIdSource,
    {
      configuration: CONFIGURATION,
      store: REQUEST_EVENT_STORE,
      vault: CARD_VAULT,
      clock: CLOCK,
      ids: IDS,
      random: RANDOM,
      bootId: BOOT_ID,
      watch: ORDERS_WATCH,
    },
    ({ configuration, vault, watch, ...ports }) => {
      const numbers = new OrderNumbers((bytes) => vault.keyStream('order numbers', bytes));
      // Ids in text need them only for orders of a time when ids were numbers.
      if (configuration.orderIds === 'numeric') numbers.prepare();
      return new OrderIdSource({ ...ports, form: configuration.orderIds, numbers, onReserved: (used) => watch.orderNumbersReserved(used) });
    },
  ),
  provide(
    OrderContexts,
    { store: REQUEST_EVENT_STORE, orderIds: OrderIdSource },
    ({ store, orderIds }) => new OrderContexts(store, orderIds),
  ),
  provide(
    OrderRecorder,
    { contexts: OrderContexts, ids: IDS, clock: CLOCK, random: RANDOM, scheduler: SCHEDULER },
    (ports) => new OrderRecorder(ports),
  ),
  provide(
    ORDER_ACCEPTANCE,
    {
      orderIds: OrderIdSource,
      store: REQUEST_EVENT_STORE,
      vault: CARD_VAULT,
      sealer: CARD_VAULT,
      cvvQueue: CvvSubmitQueue,
      screeningRules: ScreeningRulesRepository,
      routingRules: RoutingRulesRepository,
      routes: RouteOrder,
      clock: CLOCK,
      failpoints: FAILPOINTS,
      watch: ORDERS_WATCH,
    },
    ({ watch, ...ports }) => ({ ...ports, onAccepted: (stream) => watch.orderAccepted(stream) }),
  ),
  provide(
    ResolveUnknownOutcome,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    (ports) => new ResolveUnknownOutcome(ports),
  ),
  provide(
    ReturnPayer,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      inquiring: InquireAttempt,
      gates: GATES,
      failpoints: FAILPOINTS,
    },
    (ports) => new ReturnPayer(ports),
  ),
  provide(
    WorkOrder,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      submitting: SubmitAttempt,
      inquiring: InquireAttempt,
      concluding: ConcludeOrder,
      underWay: CallsUnderWay,
      clock: CLOCK,
      monotonic: MONOTONIC,
      bootId: BOOT_ID,
      isShared: IS_LOG_SHARED,
    },
    ({ contexts, recorder, submitting, inquiring, concluding, underWay, clock, monotonic, bootId, isShared }) => {
      // Where one process works, whoever held a CVV under another boot id is gone; where several do, it may be one of them.
      const isHolderGone = (holder: string): boolean => !isShared && holder !== bootId;
      const patience = new MonotonicWait(clock, monotonic);
      return new WorkOrder({ contexts, recorder, submitting, inquiring, concluding, underWay, patience, clock, isHolderGone });
    },
  ),
  // Which gates an order tries.
  provide(
    RoutingRulesRepository,
    { store: REQUEST_EVENT_STORE, clock: CLOCK },
    ({ store, clock }) => new RoutingRulesRepository(store, clock),
  ),
  provide(
    RouteOrder,
    { accounts: ACCOUNTS, gates: GATES, digests: CARD_VAULT, random: RANDOM, circuits: GATE_CIRCUITS, clock: CLOCK },
    (ports) => new RouteOrder(ports),
  ),
  // Who is refused before a gate is asked.
  provide(
    ScreeningRulesRepository,
    { store: REQUEST_EVENT_STORE, clock: CLOCK },
    ({ store, clock }) => new ScreeningRulesRepository(store, clock),
  ),
  provide(Velocity, { store: REQUEST_EVENT_STORE, clock: CLOCK }, ({ store, clock }) => new Velocity(store, clock)),
  provide(
    ScreenOrder,
    {
      rules: ScreeningRulesRepository,
      velocity: Velocity,
      recorder: OrderRecorder,
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      clock: CLOCK,
    },
    (ports) => new ScreenOrder(ports),
  ),
  // How one process claims what it sends to gates, submits and inquires.
  provide(
    CallsUnderWay,
    { monotonic: MONOTONIC, clock: CLOCK, isShared: IS_LOG_SHARED },
    ({ monotonic, clock, isShared }) => new CallsUnderWay(monotonic, clock, isShared),
  ),
  provide(
    HoldClaim,
    { contexts: OrderContexts, clock: CLOCK, monotonic: MONOTONIC, scheduler: SCHEDULER },
    (ports) => new HoldClaim(ports),
  ),
  provide(
    GateCaller,
    {
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      clock: CLOCK,
      random: RANDOM,
      scheduler: SCHEDULER,
      underWay: CallsUnderWay,
      watch: ORDERS_WATCH,
    },
    ({ watch, ...ports }) =>
      new GateCaller({
        ...ports,
        onAdapterError: (error, call) => watch.gateFailed(call, error),
        onLateAnswer: (call, answer) => watch.gateAnsweredLate(call, answer),
      }),
  ),
  provide(GateRoom, { underWay: CallsUnderWay }, ({ underWay }) => new GateRoom(underWay)),
  provide(
    SubmitAttempt,
    {
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      vault: CARD_VAULT,
      sealer: CARD_VAULT,
      checking: CheckOrder,
      screening: ScreenOrder,
      payer: PAYER_ADDRESSES,
      notifications: NOTIFICATION_ADDRESSES,
      ids: IDS,
      failpoints: FAILPOINTS,
    },
    (ports) => new SubmitAttempt(ports),
  ),
  provide(
    InquireAttempt,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, underWay: CallsUnderWay, sealer: CARD_VAULT },
    (ports) => new InquireAttempt(ports),
  ),
  // Captures, returns and voids of an order.
  provide(
    RequestFollowUpHandler,
    { contexts: OrderContexts, gates: GATES, sealer: CARD_VAULT, clock: CLOCK, failpoints: FAILPOINTS },
    (ports) => new RequestFollowUpHandler(ports),
  ),
  provide(
    SubmitFollowUp,
    {
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      notifications: NOTIFICATION_ADDRESSES,
      ids: IDS,
      clock: CLOCK,
      failpoints: FAILPOINTS,
    },
    (ports) => new SubmitFollowUp(ports),
  ),
  provide(
    InquireFollowUp,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, notifications: NOTIFICATION_ADDRESSES, underWay: CallsUnderWay },
    (ports) => new InquireFollowUp(ports),
  ),
  provide(
    WorkFollowUp,
    {
      contexts: OrderContexts,
      submitting: SubmitFollowUp,
      inquiring: InquireFollowUp,
      underWay: CallsUnderWay,
      clock: CLOCK,
    },
    (ports) => new WorkFollowUp(ports),
  ),
  provide(
    ResolveUnknownFollowUp,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    (ports) => new ResolveUnknownFollowUp(ports),
  ),
  // What gates report after the end of an order.
  provide(
    RecordDisputeReport,
    { contexts: OrderContexts, recorder: OrderRecorder, clock: CLOCK },
    ({ contexts, recorder, clock }) => new RecordDisputeReport(contexts, recorder, clock),
  ),
  // What stands around the gates in the device interface: check, fees, conclusion.
  provide(RandomSums, { store: REQUEST_EVENT_STORE, digests: CARD_VAULT }, ({ store, digests }) => new RandomSums(store, digests)),
  provide(
    QuoteFees,
    { gates: GATES, scheduler: SCHEDULER, random: RANDOM, watch: ORDERS_WATCH },
    ({ gates, scheduler, random, watch }) =>
      new QuoteFees({ gates, scheduler, random, onAdapterError: (error, gate) => watch.gateFailed({ gate }, error) }),
  ),
  provide(
    CheckOrder,
    {
      merchantServer: MERCHANT_SERVER,
      recorder: OrderRecorder,
      fees: QuoteFees,
      randomSums: RandomSums,
      clock: CLOCK,
      scheduler: SCHEDULER,
    },
    (ports) => new CheckOrder(ports),
  ),
  provide(
    ConcludeOrder,
    {
      mapping: CARD_MAPPING,
      merchantServer: MERCHANT_SERVER,
      randomSums: RandomSums,
      recorder: OrderRecorder,
      clock: CLOCK,
    },
    (ports) => new ConcludeOrder(ports),
  ),
  provide(
    InlineConclusion,
    { concluding: ConcludeOrder, clock: CLOCK, watch: ORDERS_WATCH },
    ({ concluding, clock, watch }) =>
      new InlineConclusion(concluding, clock, (stream, error) => watch.workFailed({ stream, task: 'conclude' }, error)),
  ),
  provide(
    TellFeeChoice,
    { gates: GATES, sealer: CARD_VAULT, underWay: CallsUnderWay, scheduler: SCHEDULER, random: RANDOM, watch: ORDERS_WATCH },
    ({ watch, ...ports }) => new TellFeeChoice({ ...ports, onAdapterError: (error, call) => watch.gateFailed(call, error) }),
  ),
  provide(
    ChooseFee,
    { recorder: OrderRecorder, telling: TellFeeChoice, clock: CLOCK, monotonic: MONOTONIC },
    (ports) => new ChooseFee(ports),
  ),
  // Orders whose CVV this process holds.
  provide(
    CvvSubmitQueue,
    {
      contexts: OrderContexts,
      submitting: SubmitAttempt,
      underWay: CallsUnderWay,
      clock: CLOCK,
      monotonic: MONOTONIC,
      scheduler: SCHEDULER,
      watch: ORDERS_WATCH,
    },
    ({ contexts, submitting, underWay, clock, monotonic, scheduler, watch }) =>
      new CvvSubmitQueue({
        contexts,
        submitting,
        overdue: underWay,
        clock,
        monotonic,
        scheduler,
        onError: (stream, error) => watch.workFailed({ stream, task: 'submit' }, error),
      }),
  ),
  provide(
    SweepOwnerlessCards,
    { vault: CARD_VAULT, store: EVENT_STORE, clock: CLOCK },
    ({ vault, store, clock }) => new SweepOwnerlessCards(vault, store, clock),
  ),
  // What gates tell by themselves.
  provide(
    RecordReport,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      caller: GateCaller,
      underWay: CallsUnderWay,
      inquiring: InquireAttempt,
      monotonic: MONOTONIC,
      scheduler: SCHEDULER,
    },
    (ports) => new RecordReport(ports),
  ),
  provide(
    EarlyReports,
    { monotonic: MONOTONIC, scheduler: SCHEDULER },
    ({ monotonic, scheduler }) => new EarlyReports(monotonic, scheduler),
  ),
  provide(
    Hints,
    {
      contexts: OrderContexts,
      circuits: GATE_CIRCUITS,
      requests: REQUEST_INDEX,
      agenda: ORDER_AGENDA,
      monotonic: MONOTONIC,
      watch: HEARING_WATCH,
    },
    (ports) => new Hints(ports),
  ),
  provide(
    HeardDisputes,
    { contexts: OrderContexts, disputes: RecordDisputeReport },
    ({ contexts, disputes }) => new HeardDisputes(contexts, disputes),
  ),
  provide(
    HearGate,
    {
      gates: GATES,
      recording: RecordReport,
      disputes: HeardDisputes,
      early: EarlyReports,
      hints: Hints,
      requests: REQUEST_INDEX,
      agenda: ORDER_AGENDA,
      watch: HEARING_WATCH,
    },
    (ports) => new HearGate(ports),
  ),
  // What changes a final status.
  provide(
    ReconcileOrder,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      sealer: CARD_VAULT,
      clock: CLOCK,
      attempts: InquireAttempt,
      followUps: InquireFollowUp,
      unknownOutcomes: ResolveUnknownOutcome,
      unknownFollowUps: ResolveUnknownFollowUp,
    },
    (ports) => new ReconcileOrder(ports),
  ),
];

/**
 * The life of an order at a gate, shared by the contexts: each registers its category, decider and codec here (architecture, rule 14). Its ports are
 * the tokens beside it; who imports it says what answers them.
 */
@Module({
  providers: PROVIDERS,
  exports: [
    ChooseFee,
    CvvSubmitQueue,
    GateRoom,
    HearGate,
    InlineConclusion,
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
    @Inject(CallsUnderWay) underWay: CallsUnderWay,
    @Inject(GateRoom) room: GateRoom,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(InlineConclusion) inlineConclusion: InlineConclusion,
    @Inject(ORDERS_WATCH) watch: OrdersWatch,
  ) {
    underWay.listen((lane) => {
      cvvQueue.roomChanged(lane);
      room.changed();
    });
    recorder.listen((moved, events) => {
      cvvQueue.orderMoved(moved);
      inlineConclusion.orderMoved(moved);
      watch.orderMoved(moved, events);
      if (events.some(isContradiction)) watch.gateContradicted(moved.stream);
    });
  }
}
