export { ACTIVITY_KINDS } from './activity/activity.fold';
export type { ActivityFilter, ActivityQueries, ListedActivity } from './activity/activity.queries';
export { activity } from './activity/activity.table';
export type { ApprovalQueries } from './approvals/approval.queries';
export { approvals } from './approvals/approval.table';
export { foldApproval } from './approvals/approval.fold';
export { APPROVAL_STATUSES, type ApprovalView } from './approvals/approval.view';
export type { CardReferenceQueries } from './card-reference/card-reference.queries';
export { CARD_REFERENCE } from './card-reference/card-reference.table';
export { DELIVERY_STATES, type DeliveryFilter, type DeliveryQueries } from './deliveries/delivery.queries';
export { deliveries } from './deliveries/delivery.table';
export type { DeliveryView } from './deliveries/delivery.view';
export { type ReadModelAddress, readModelPlace } from './engine/database/database';
export { CannotApply } from './engine/faults';
export { type EventLog, type LogEvent, logEventOf } from './engine/log-event';
export { type Counted, COUNTED_MAX, type ListPlace } from './engine/index-parts';
export type { Projection } from './engine/projection';
export { PARKED_CAUSES, parkedByStream, parkedCause, type ParkedEntry } from './engine/projecting/parked-streams';
export { type Partition, WHOLE } from './engine/projecting/partitions';
export type { ParkedStream } from './engine/projecting/projector';
export type { StreamRebuilt } from './engine/projecting/stream-repair';
export { RebuildRefused, type RebuildProgress } from './engine/rebuild/new-generations';
export type { Rebuilt } from './engine/rebuild/rebuilds';
export { LocalReadModel, openReadModel } from './local-read-model';
export { isMereQuestion } from './order-list/mentions.fold';
export type { MentionQueries } from './order-list/mentions.queries';
export type { Mention } from './order-list/mentions.table';
export type { OrderListFilter } from './order-list/order-list.filter';
export {
  type Carried,
  type ListAsked,
  type ListedRecord,
  type ListCursor,
  LOOKED_AT_MAX,
  type Named,
  NAMED_STREAMS_MAX,
  type OrderListPage,
  type OrderListQueries,
} from './order-list/order-list.queries';
export { KINDED_IDENTIFIERS } from './order-list/order-search.fold';
export type { OrderSearchQueries } from './order-list/order-search.queries';
export { ORDER_SEARCH } from './order-list/order-search.table';
export type { DisputeFilter, DisputeQueries } from './order-status/dispute.queries';
export { disputesOf, NO_DAY, type OrderDispute } from './order-status/order-disputes';
export { type ReportView, OPERATION_WORDS, type OrderStatusView, unknownSince } from './order-status/order-status.view';
export type { OperatorOrderQueries } from './order-status/operator-orders.queries';
export { foldOrderStatus, type OrderEvent } from './order-status/order-status.fold';
export type { OrderStatusRecord } from './order-status/order-status.queries';
export { ORDER_STATUS, ORDER_STATUS_CATEGORIES, orderStatuses } from './order-status/order-status.table';
export { viewForRequest } from './order-status/view-for-request';
export type { ProjectionHealth, ReadModel } from './read-model';
export { openReadModelReader, type ReadModelReader } from './read-model-reader';
export type { GateAttemptsQueries, GateAttemptsPage, GateAttemptsCursor, GateAttemptsRecord } from './reconciliation/gate-attempts.queries';
export { GATE_ATTEMPTS } from './reconciliation/gate-attempts.table';
export {
  CALL_OUTCOMES,
  LATENCY_BOUNDS_MS,
  MINUTE_MS,
  ORDER_OUTCOMES,
  type CallOutcome,
  type OrderOutcome,
} from './reconciliation/gate-minutes';
export type { CallsInMinute, CountedMinutes, GateMinutesQueries } from './reconciliation/gate-minutes.queries';
export type { GateAttemptView } from './reconciliation/gate-attempts.view';
export type {
  CaseFilter,
  OpenCases,
  ReconciliationCaseQueries,
  ReconciliationCaseRecord,
} from './reconciliation/reconciliation-case.queries';
export type { ReconciliationCaseView } from './reconciliation/reconciliation-case.view';
export type { OpenCount, OpenCountQueries } from './work/open-counts.queries';
export { openWorkProjectionName } from './work/open-work.table';
