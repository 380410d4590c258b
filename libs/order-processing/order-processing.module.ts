import { Inject, Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, provide, RANDOM, SCHEDULER, token } from '@app/injection';
import { OrderNumbers } from '@app/kernel';
import { CallsUnderWay } from './attempts/application/calls-under-way';
import { GateCaller } from './attempts/application/gate-caller';
import { gateCalling, type GateCalling } from './attempts/application/gate-calling';
import { GateRoom } from './attempts/application/gate-room';
import { HoldClaim } from './attempts/application/hold-claim';
import { InquireAttempt } from './attempts/application/inquire-attempt';
import { SubmitAttempt } from './attempts/application/submit-attempt';
import { CvvSubmitQueue } from './cvv/application/cvv-submit-queue';
import { SweepOwnerlessCards } from './cvv/application/sweep-ownerless-cards';
import { CheckOrder } from './device/application/check-order';
import { ChooseFee } from './device/application/choose-fee';
import { ConcludeOrder } from './device/application/conclude-order';
import { InlineConclusion } from './device/application/inline-conclusion';
import { QuoteFees } from './device/application/quote-fees';
import { RandomSums } from './device/application/random-sums';
import { isContradiction } from './domain';
import { InquireFollowUp } from './follow-ups/application/inquire-follow-up';
import { RequestFollowUpHandler } from './follow-ups/application/request-follow-up.handler';
import { ResolveUnknownFollowUp } from './follow-ups/application/resolve-unknown-follow-up';
import { SubmitFollowUp } from './follow-ups/application/submit-follow-up';
import { WorkFollowUp } from './follow-ups/application/work-follow-up.reactor';
import { MonotonicWait } from './order/application/monotonic-wait';
import { OrderContexts } from './order/application/order-context';
import { OrderIdSource } from './order/application/order-ids';
import { OrderRecorder } from './order/application/order-recorder';
import { ResolveUnknownOutcome } from './order/application/resolve-unknown-outcome';
import { ReturnPayer } from './order/application/return-payer';
import { WorkOrder } from './order/application/work-order.reactor';
import {
  CARD_MAPPING,
  MERCHANT_SERVER,
  ORDER_ACCEPTANCE,
  ORDER_PROCESSING_WATCH,
  PAYER_ADDRESSES,
  type OrderProcessingWatch,
} from './order-processing.tokens';
import { ScreenOrder } from './screening/application/screen-order';
import { ScreeningRulesRepository } from './screening/application/screening-rules-repository';
import { Velocity } from './screening/application/velocity';

const GATE_CALLING = token<GateCalling>('GATE_CALLING');

const order = [
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
      watch: ORDER_PROCESSING_WATCH,
    },
    ({ configuration, vault, watch, ...ports }) =>
      new OrderIdSource({
        ...ports,
        form: configuration.orderIds,
        numbers: new OrderNumbers((bytes) => vault.keyStream('order numbers', bytes)),
        onReserved: (used) => watch.orderNumbersReserved(used),
      }),
  ),
  provide(
    OrderContexts,
    { store: REQUEST_EVENT_STORE, orderIds: OrderIdSource },
    ({ store, orderIds }) => new OrderContexts(store, orderIds),
  ),
  provide(
    OrderRecorder,
    { contexts: OrderContexts, ids: IDS, clock: CLOCK, random: RANDOM, scheduler: SCHEDULER },
    ({ contexts, ids, clock, random, scheduler }) => new OrderRecorder(contexts, ids, clock, random, scheduler),
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
      clock: CLOCK,
      failpoints: FAILPOINTS,
      watch: ORDER_PROCESSING_WATCH,
    },
    ({ watch, ...ports }) => ({ ...ports, onTaken: (stream) => watch.orderAccepted(stream) }),
  ),
  provide(
    ResolveUnknownOutcome,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    ({ contexts, recorder, sealer, clock }) => new ResolveUnknownOutcome(contexts, recorder, sealer, clock),
  ),
  provide(
    ReturnPayer,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      failpoints: FAILPOINTS,
    },
    ({ contexts, recorder, caller, claims, gates, failpoints }) => new ReturnPayer(contexts, recorder, caller, claims, gates, failpoints),
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
      const waits = new MonotonicWait(clock, monotonic);
      return new WorkOrder(contexts, recorder, submitting, inquiring, concluding, underWay, waits, clock, isHolderGone);
    },
  ),
];

const attempts = [
  provide(
    GATE_CALLING,
    {
      contexts: OrderContexts,
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      clock: CLOCK,
      monotonic: MONOTONIC,
      random: RANDOM,
      scheduler: SCHEDULER,
      isShared: IS_LOG_SHARED,
      watch: ORDER_PROCESSING_WATCH,
    },
    ({ watch, ...ports }) =>
      gateCalling({
        ...ports,
        onAdapterError: (error, call) => watch.gateFailed(call, error),
        onLateAnswer: (call, answer) => watch.gateAnsweredLate(call, answer),
      }),
  ),
  provide(CallsUnderWay, { calling: GATE_CALLING }, ({ calling }) => calling.underWay),
  provide(HoldClaim, { calling: GATE_CALLING }, ({ calling }) => calling.claims),
  provide(GateCaller, { calling: GATE_CALLING }, ({ calling }) => calling.caller),
  provide(GateRoom, { underWay: CallsUnderWay }, ({ underWay }) => new GateRoom(underWay)),
  provide(
    SubmitAttempt,
    {
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      vault: CARD_VAULT,
      checking: CheckOrder,
      screening: ScreenOrder,
      payer: PAYER_ADDRESSES,
      ids: IDS,
      failpoints: FAILPOINTS,
    },
    ({ recorder, caller, claims, gates, vault, checking, screening, payer, ids, failpoints }) =>
      new SubmitAttempt(recorder, caller, claims, gates, vault, checking, screening, payer, ids, failpoints),
  ),
  provide(
    InquireAttempt,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, underWay: CallsUnderWay },
    ({ recorder, caller, gates, underWay }) => new InquireAttempt(recorder, caller, gates, underWay),
  ),
];

const screening = [
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
];

const followUps = [
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
      ids: IDS,
      clock: CLOCK,
      failpoints: FAILPOINTS,
    },
    ({ recorder, caller, claims, gates, ids, clock, failpoints }) =>
      new SubmitFollowUp(recorder, caller, claims, gates, ids, clock, failpoints),
  ),
  provide(
    InquireFollowUp,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, underWay: CallsUnderWay },
    ({ recorder, caller, gates, underWay }) => new InquireFollowUp(recorder, caller, gates, underWay),
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
    ({ contexts, submitting, inquiring, underWay, clock }) => new WorkFollowUp(contexts, submitting, inquiring, underWay, clock),
  ),
  provide(
    ResolveUnknownFollowUp,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    ({ contexts, recorder, sealer, clock }) => new ResolveUnknownFollowUp(contexts, recorder, sealer, clock),
  ),
];

const device = [
  provide(RandomSums, { store: REQUEST_EVENT_STORE, digests: CARD_VAULT }, ({ store, digests }) => new RandomSums(store, digests)),
  provide(
    QuoteFees,
    { gates: GATES, scheduler: SCHEDULER, random: RANDOM, watch: ORDER_PROCESSING_WATCH },
    ({ gates, scheduler, random, watch }) => new QuoteFees(gates, scheduler, random, (error, gate) => watch.gateFailed({ gate }, error)),
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
    { concluding: ConcludeOrder, clock: CLOCK, watch: ORDER_PROCESSING_WATCH },
    ({ concluding, clock, watch }) =>
      new InlineConclusion(concluding, clock, (stream, error) => watch.workFailed({ stream, task: 'conclude' }, error)),
  ),
  provide(ChooseFee, { recorder: OrderRecorder, clock: CLOCK }, ({ recorder, clock }) => new ChooseFee(recorder, clock)),
];

const cvv = [
  provide(
    CvvSubmitQueue,
    {
      contexts: OrderContexts,
      submitting: SubmitAttempt,
      underWay: CallsUnderWay,
      clock: CLOCK,
      monotonic: MONOTONIC,
      scheduler: SCHEDULER,
      watch: ORDER_PROCESSING_WATCH,
    },
    ({ contexts, submitting, underWay, clock, monotonic, scheduler, watch }) =>
      new CvvSubmitQueue(contexts, submitting, underWay, clock, monotonic, scheduler, (stream, error) =>
        watch.workFailed({ stream, task: 'submit' }, error),
      ),
  ),
  provide(
    SweepOwnerlessCards,
    { vault: CARD_VAULT, store: EVENT_STORE, clock: CLOCK },
    ({ vault, store, clock }) => new SweepOwnerlessCards(vault, store, clock),
  ),
];

/**
 * The life of an order at a gate, shared by the contexts: each registers its category, decider and codec here (architecture, rule 14). Its ports are
 * the tokens beside it; who imports it says what answers them.
 */
@Module({
  providers: [...order, ...attempts, ...screening, ...followUps, ...device, ...cvv],
  exports: [
    ChooseFee,
    CvvSubmitQueue,
    GateRoom,
    InlineConclusion,
    ORDER_ACCEPTANCE,
    OrderContexts,
    OrderIdSource,
    RequestFollowUpHandler,
    ResolveUnknownFollowUp,
    ResolveUnknownOutcome,
    ReturnPayer,
    SweepOwnerlessCards,
    WorkFollowUp,
    WorkOrder,
  ],
})
export class OrderProcessingModule {
  constructor(
    @Inject(OrderRecorder) recorder: OrderRecorder,
    @Inject(CallsUnderWay) underWay: CallsUnderWay,
    @Inject(GateRoom) room: GateRoom,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(InlineConclusion) inlineConclusion: InlineConclusion,
    @Inject(ORDER_PROCESSING_WATCH) watch: OrderProcessingWatch,
  ) {
    underWay.tell((lane) => {
      cvvQueue.roomChanged(lane);
      room.changed();
    });
    recorder.tell((moved, events) => {
      cvvQueue.orderMoved(moved);
      inlineConclusion.orderMoved(moved);
      watch.orderMoved(moved, events);
      if (events.some(isContradiction)) watch.gateContradicted(moved.stream);
    });
  }
}
