export {
  type CauseJson,
  differenceAsJson,
  type DifferenceJson,
  eventAsJson,
  type EventJson,
  momentAsJson,
  whyAsJson,
  type WhyJson,
} from './as-of/as-json';
export {
  type DatedEvent,
  datedEvents,
  eventsAsOf,
  isLaterMoment,
  type Moment,
  parseTime,
  parseVersion,
  orderHistory,
  orderState,
  type OrderState,
  viewAfter,
} from './as-of/dated-events';
export { differenceOf, type ReplayedStep, replayedSteps, whyOf } from './as-of/why';
export { leavesOf, type FieldChange, type FieldValue } from './words/fields';
export type { OrderSteps } from './as-of/order-steps';
export { unknownAt, type UnknownAtPage } from './as-of/unknown-at';
export type { FeedItem } from './feed/feed-items';
export { type FeedPlace, OrderFeed } from './feed/order-feed';
export { fileInPack } from './evidence/evidence-pack';
export { EvidenceService } from './evidence/evidence.service';
export {
  isCheckpointOf,
  parseCheckpoint,
  type SignedCheckpoint,
  timeOf,
  KeyRefused,
  makeSigningKeyFile,
  readSigningKeyFile,
  readVerifyKeyFile,
  type SigningKey,
  type VerifyKey,
} from './log-proofs/checkpoint';
export { OriginDamaged, readOrigin } from './log-proofs/checkpoint-issuer';
export { CheckpointStore, type FoundCheckpoint, witnessAt } from './log-proofs/checkpoint-stores';
export {
  consistencyProblem,
  type ConsistencyProof,
  consistencyProofOf,
  consistencyProofText,
  type EventProof,
  eventProofProblem,
  EventProofs,
  eventProofText,
  type ProofResult,
  PROOF_CHARACTERS_MAX,
  readProof,
} from './log-proofs/event-proof';
export { parseLeaf, faultText } from './log-proofs/log-tree';
export { LogProofs, type LogProofsHealth } from './log-proofs/log-proofs';
export { FolderFiles, type ProofFiles } from './log-proofs/proof-files';
export { TileDamaged } from './log-proofs/tiles';
export { verifyLog } from './log-proofs/verify-log';
export { findingText, type LogFinding, type PlaceCount, type VerifyLogReport } from './log-proofs/verify-report';
export {
  act,
  actingAlone,
  actingFor,
  type ActingOperator,
  type AccessRefused,
  OperatorAccess,
  LEAST_ROLES,
  byOf,
  mayAsk,
  merchantsAsked,
  sealedReason,
  seesMerchant,
  type OperatorRequestName,
  QueryAudit,
} from './operator/operator-access';
export {
  endOf,
  houseOperator,
  OperatorSessions,
  SESSION_IDLE_MS,
  SignInFailures,
  type OpenSession,
  type OperatorSession,
  type SignInProof,
} from './operator/sessions';
export {
  type AuditAnswer,
  AuditService,
  type OrderPage,
  type ShownConfiguration,
  type TrailAnswer,
  type TrailPage,
} from './operator/audit.service';
export { BulkResending, type BulkResent, type CountedDeliveries } from './operator/bulk-resending';
export { type CustomerFound, type Erased, type Erasing, ErasureService, type Holding } from './operator/erasure.service';
export { FOLLOW_UP_ACTIONS, FollowUpService, type FollowUpRequestAnswer, type WantedFollowUp } from './operator/follow-up.service';
export {
  type CheckpointsAnswer,
  type EventName,
  type EventProofAnswer,
  type EventProofJson,
  LogDamaged,
  LogInspection,
  type LogJson,
  type RawEventJson,
} from './operator/log-inspection';
export type { GateCalls } from './operator/gate-calls';
export { RetentionPreviews, type RetentionPreview } from './operator/retention-preview';
export { GateStates, type ListedGate, type ListedGates } from './operator/gate-states';
export {
  type ActivityListed,
  type ActivityShown,
  APPROVAL_STATES,
  approvalAsJson,
  type ApprovalState,
  type ListedApproval,
  type ListedApprovals,
  type ShownApproval,
  type ListedDeliveries,
  type ListedDisputes,
  type ListedUnknown,
  type ListedDelivery,
  OperatorLists,
} from './operator/operator-lists';
export {
  type Found,
  OperatorService,
  type OperatorServicePorts,
  type OutcomeResolver,
  type Reporting,
  type Resolution,
  type ShownOrder,
  type Unparking,
} from './operator/operator.service';
export { type NoSuch, OrderHistories, type StateAsOf, type UnknownOrdersAt } from './operator/order-histories';
export { NAME_KINDS, type NameKind, type OrderIds, OrderNames, type OrderUnnamed } from './operator/order-names';
export { type RouteAnswer, type RouteExplanation, RouteExplanations, type RouteQuestion } from './operator/route-explanation';
export {
  type ApplyingConfiguration,
  type AskedConfiguration,
  CONFIGURATION_TARGET,
  type CheckedConfiguration,
  type ConfigurationForecast,
  ConfigurationService,
  type ConfigurationStatus,
} from './operator/configuration.service';
export { type HeldJson, type Switching, SwitchService } from './operator/switch.service';
export { type Overview, ServiceOverview } from './operator/service-overview';
export { type ParkedStreams, type ProjectionStates, ServiceState } from './operator/service-state';
export { AUDIT_FORMATS, type AuditFormat } from './orders/audit-format';
export { concealSealed, ERASED, tokenEnd } from './orders/sealed-texts';
export { readCursor, writeCursor, ListOrders, IDENTIFIER_KINDS, type ListQuestion } from './orders/list-orders';
export { aroundDay, isDay, isZone, type Notice } from './orders/notice';
export { OrderTrails } from './orders/order-trail';
export type { TrailEntry } from './orders/trail-entry';
export { type DecidedAgain, WHAT_IF_CLASSES, type WhatIfClass } from './replay/replay-decisions';
export type { NotKnown, WouldEnd } from './replay/past-order';
export { countOfClass, decidedAsJson, whatIfAsJson } from './replay/what-if-json';
export { type WhatIfJson, type WhatIfOrders, WhatIfs } from './operator/what-ifs';
export { whatIf, type WhatIfEnd, type RuleTotals, WhatIfTotals } from './replay/what-if';
