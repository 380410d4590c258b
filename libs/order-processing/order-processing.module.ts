import { Inject, Module } from '@nestjs/common';
import { CallsUnderWay } from './attempts/application/calls-under-way';
import { GateRoom } from './attempts/application/gate-room';
import { CvvSubmitQueue } from './cvv/application/cvv-submit-queue';
import { SweepOwnerlessCards } from './cvv/application/sweep-ownerless-cards';
import { ChooseFee } from './device/application/choose-fee';
import { InlineConclusion } from './device/application/inline-conclusion';
import { isContradiction } from './domain';
import { HearGate } from './hearing/application/hear-gate';
import { hearingProviders } from './hearing/hearing.providers';
import { RequestFollowUpHandler } from './follow-ups/application/request-follow-up.handler';
import { ResolveUnknownFollowUp } from './follow-ups/application/resolve-unknown-follow-up';
import { WorkFollowUp } from './follow-ups/application/work-follow-up.reactor';
import { ORDER_ACCEPTANCE, ORDER_PROCESSING_WATCH, type OrderProcessingWatch } from './order-processing.tokens';
import { OrderContexts } from './order/application/order-context';
import { OrderIdSource } from './order/application/order-ids';
import { OrderRecorder } from './order/application/order-recorder';
import { ResolveUnknownOutcome } from './order/application/resolve-unknown-outcome';
import { ReturnPayer } from './order/application/return-payer';
import { WorkOrder } from './order/application/work-order.reactor';
import { orderProviders } from './order/order.providers';
import { attemptsProviders } from './attempts/attempts.providers';
import { RouteOrder } from './routing/application/route-order';
import { routingProviders } from './routing/routing.providers';
import { screeningProviders } from './screening/screening.providers';
import { followUpsProviders } from './follow-ups/follow-ups.providers';
import { deviceProviders } from './device/device.providers';
import { RecordDisputeReport } from './disputes/application/record-dispute-report';
import { disputesProviders } from './disputes/disputes.providers';
import { cvvProviders } from './cvv/cvv.providers';
import { ReconcileOrder } from './reconciliation/application/reconcile-order';
import { reconciliationProviders } from './reconciliation/reconciliation.providers';

/**
 * The life of an order at a gate, shared by the contexts: each registers its category, decider and codec here (architecture, rule 14). Its ports are
 * the tokens beside it; who imports it says what answers them.
 */
@Module({
  providers: [
    ...orderProviders,
    ...attemptsProviders,
    ...routingProviders,
    ...screeningProviders,
    ...followUpsProviders,
    ...disputesProviders,
    ...deviceProviders,
    ...cvvProviders,
    ...hearingProviders,
    ...reconciliationProviders,
  ],
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
export class OrderProcessingModule {
  constructor(
    @Inject(OrderRecorder) recorder: OrderRecorder,
    @Inject(CallsUnderWay) underWay: CallsUnderWay,
    @Inject(GateRoom) room: GateRoom,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(InlineConclusion) inlineConclusion: InlineConclusion,
    @Inject(ORDER_PROCESSING_WATCH) watch: OrderProcessingWatch,
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
