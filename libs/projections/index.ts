export * from './read-models/card-reference/card-reference.fold';
export type * from './read-models/card-reference/card-reference.view';
export type { CardReferenceQueries } from './read-models/card-reference/card-reference.queries';
export { CARD_REFERENCE } from './read-models/card-reference/card-reference.table';
export { logEventOf, type EventLog, type LogEvent } from './engine/log-event';
export { openWorkProjectionName, type OpenWorkDefinition } from './read-models/open-work/open-work.table';
export { foldOrderStatus, type OrderEvent } from './read-models/order-status/order-status.fold';
export type { OrderStatusRecord } from './read-models/order-status/order-status.queries';
export { collectIdentifiers, KINDED_IDENTIFIERS, REPORT_WORDS } from './read-models/order-search/order-search.fold';
export type { OrderSearchQueries } from './read-models/order-search/order-search.queries';
export { isMereQuestion } from './read-models/mentions/mentions.fold';
export { type Mention } from './read-models/mentions/mentions.table';
export type { MentionQueries } from './read-models/mentions/mentions.queries';
export type { OrderListFilter } from './read-models/order-list/order-list.filter';
export {
  LOOKED_AT_MAX,
  NAMED_STREAMS_MAX,
  type Carried,
  type ListedRecord,
  type Named,
  type ListPlace,
  type OrderListPage,
  type OrderListQueries,
  type ListAsked,
} from './read-models/order-list/order-list.queries';
export type * from './read-models/gate-attempts/gate-attempts.view';
export type { GateAttemptsPage, GateAttemptsPlace, GateAttemptsRecord } from './read-models/gate-attempts/gate-attempts.queries';
export { GATE_ATTEMPTS } from './read-models/gate-attempts/gate-attempts.table';
export type * from './read-models/reconciliation-cases/reconciliation-case.view';
export type {
  CaseFilter,
  OpenCases,
  ReconciliationCaseQueries,
  ReconciliationCaseRecord,
} from './read-models/reconciliation-cases/reconciliation-case.queries';
export { ORDER_SEARCH } from './read-models/order-search/order-search.table';
export { ORDER_STATUS_CATEGORIES } from './read-models/order-status/order-status.table';
export { unknownOutcomes } from './read-models/order-status/unknown-outcomes';
export type { OperatorOrderQueries } from './read-models/order-status/operator-orders.queries';
export { ORDER_STATUS } from './read-models/order-status/order-status.table';
export * from './read-models/order-status/order-status.view';
export type * from './read-models/order-status/dispute.view';
export type * from './read-models/order-status/follow-up.view';
export * from './read-models/order-status/view-for-request';
export { WHOLE, type Partition, type PartitionKey } from './engine/partitions/partition';
export { readModelPlace, type ReadModelAddress } from './engine/database/database';
export type { ProjectionHealth, ReadModel } from './read-model';
export { LocalReadModel, openReadModel } from './local-read-model';
export * from './read-model-reader';
export { type OpenCount } from './read-models/totals/open-counts.queries';
export type { RebuildProgress } from './engine/rebuild/rebuild-context';
export { PARKED_CAUSES, parkedCause, type ParkedCause } from './engine/projecting/parked-streams';
export type { ParkedStream } from './engine/projecting/projector';
export type { StreamRebuilt } from './engine/projecting/stream-repair';
export { RebuildRefused } from './engine/rebuild/new-generations';
export type { Rebuilt } from './engine/rebuild/rebuild';
