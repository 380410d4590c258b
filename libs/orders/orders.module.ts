import { Inject, Module } from '@nestjs/common';
import { CallsUnderWay } from './application/gates/calls-under-way';
import { GateRoom } from './application/gates/gate-room';
import { CvvSubmitQueue } from './application/gates/cvv-submit-queue';
import { SweepOwnerlessCards } from './application/work/sweep-ownerless-cards';
import { ChooseFee } from './application/work/choose-fee';
import { InlineConclusion } from './application/work/inline-conclusion';
import { isContradiction } from './domain';
import { HearGate } from './application/gates/hear-gate';
import { hearingProviders } from './providers/hearing.providers';
import { RequestFollowUpHandler } from './application/work/request-follow-up.handler';
import { ResolveUnknownFollowUp } from './application/work/resolve-unknown-follow-up';
import { WorkFollowUp } from './application/work/work-follow-up.reactor';
import { ORDER_ACCEPTANCE, ORDERS_WATCH, type OrdersWatch } from './orders.tokens';
import { OrderContexts } from './application/order-context';
import { OrderIdSource } from './application/order-ids';
import { OrderRecorder } from './application/order-recorder';
import { ResolveUnknownOutcome } from './application/work/resolve-unknown-outcome';
import { ReturnPayer } from './application/work/return-payer';
import { WorkOrder } from './application/work/work-order.reactor';
import { orderProviders } from './providers/order.providers';
import { attemptsProviders } from './providers/attempts.providers';
import { RouteOrder } from './application/acceptance/route-order';
import { routingProviders } from './providers/routing.providers';
import { screeningProviders } from './providers/screening.providers';
import { followUpsProviders } from './providers/follow-ups.providers';
import { deviceProviders } from './providers/device.providers';
import { RecordDisputeReport } from './application/gates/record-dispute-report';
import { disputesProviders } from './providers/disputes.providers';
import { cvvProviders } from './providers/cvv.providers';
import { ReconcileOrder } from './application/work/reconcile-order';
import { reconciliationProviders } from './providers/reconciliation.providers';

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
