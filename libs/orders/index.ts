export {
  acceptOrder,
  type AcceptOrderPorts,
  laneIsFull,
  type NamedRequest,
  type OrderAcceptedAnswer,
  type OrderRefused,
  type OrderRequest,
  requestEnvelope,
} from './application/acceptance/accept-order';
export {
  deviceOrderContext,
  type Performed,
  performOrder,
  type PerformPorts,
  type PerformRefused,
  type PerformRequest,
  sessionDigest,
} from './application/acceptance/perform-order';
export { offerFor } from './application/acceptance/offer';
export { RouteOrder } from './application/acceptance/route-order';
export type { CardMapping, CheckOutcome, MappedCards, MerchantServer } from './application/device-ports';
export { callInTime } from './application/gates/call-in-time';
export {
  InFlightCalls,
  OVERDUE_PER_LANE_MAX,
  GateCapacity,
  ORDERS_WORKED_PER_LANE_MAX,
  workLane,
} from './application/gates/in-flight-calls';
export { CvvSubmitQueue, HELD_PER_LANE_MAX, SUBMITS_PER_LANE_MAX } from './application/gates/cvv-submit-queue';
export { EARLY_KEPT_MS, EARLY_REPORTS_MAX } from './application/gates/early-reports';
export type { GateCall } from './application/gates/gate-caller';
export { HandleGateNotification, EarlyReportsFull } from './application/gates/handle-gate-notification';
export type {
  GateNotificationListener,
  NotificationAddresses,
  NotifiedRequest,
  OrderAgenda,
  RequestIndex,
  ReportedRequest,
} from './application/gates/gate-notification-ports';
export { UNVERIFIED_PER_SECOND_MAX } from './application/gates/unverified-notifications';
export { type ManualDisputeReport, RecordDisputeReport, type ReportRecorded } from './application/gates/record-dispute-report';
export { SubmitAttempt } from './application/gates/submit-attempt';
export { type OpenOrder, type OrderContext, OrderContexts, type OrderFacts } from './application/order-context';
export { ORDER_BLOCK_SIZE, ORDER_NUMBERS_ALARM, OrderIdSource, type OrderNumbersUsed } from './application/order-ids';
export { orderTexts } from './application/order-texts';
export { aboutOrder, OrderWorkFailed, isStoreAway } from './application/order-work-failed';
export { type CircuitChange, GateCircuits, type GateCircuitState } from './application/rules/gate-circuits';
export { type NewOrderHold, OrderSwitches, type SwitchAnswer } from './application/rules/order-switches';
export { namedRouting, RoutingRulesRepository } from './application/rules/routing-rules-repository';
export { namedRules, preparedRules, ScreeningRulesRepository } from './application/rules/screening-rules';
export { ChooseFee, type FeeChoice, CHOICE_TIMEOUT_MS } from './application/work/tell-fee-choice';
export { followUpOf, orderWork, type OrderWorkEvent } from './application/work/order-work';
export { ConcludeInBackground, UNDER_WAY_PER_MERCHANT_MAX } from './application/work/conclude-order';
export { type Reconciled, ReconcileOrder } from './application/work/reconcile-order';
export {
  type FollowUpAcceptedAnswer,
  type FollowUpPreview,
  type FollowUpRefused,
  type FollowUpRequested,
  RequestFollowUpHandler,
} from './application/work/request-follow-up.handler';
export { OrderRecorder } from './application/order-recorder';
export { ResolveUnknownFollowUp, ResolveUnknownOutcome } from './application/work/resolve-unknown-outcome';
export { ReturnPayer } from './application/work/return-payer';
export { OWNERLESS_KEPT_MS, SweepOwnerlessCards } from './application/work/sweep-ownerless-cards';
export { WorkFollowUp } from './application/work/work-follow-up.reactor';
export { ROOM_CHECK_MS, WorkOrder } from './application/work/work-order.reactor';
export { deviceOrderEventTypes } from './events/device.schema';
export {
  acceptedDeviceOrderFields,
  acceptedOrderFields,
  cardAtGates,
  orderCard,
  processingEventTypes,
  receivingCard,
} from './events/order.schema';
export { randomSumCodec } from './events/random-sum.codec';
export { orderHoldsCodec } from './events/order-holds.codec';
export { routingCodec, ROUTING_CATEGORY, routingStream, routingVersionOf } from './events/routing.codec';
export { screeningCodec, velocityCodec, rulesVersionOf, SCREENING_CATEGORY, screeningStream } from './events/screening.codec';
