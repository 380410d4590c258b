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
export { type DatedEvent, datedEvents, eventsAsOf } from './as-of/dated-events';
export { differenceOf } from './as-of/diff';
export { type FieldChange, type FieldValue, leavesOf } from './as-of/field-of';
export { isLaterMoment, type Moment, parseTime, parseVersion } from './as-of/moment';
export { orderHistory } from './as-of/order-history';
export { orderState, type OrderState, viewAfter } from './as-of/order-state';
export { type ReplayedStep, replayedSteps } from './as-of/replayed-steps';
export { unknownAt, type UnknownAtPage } from './as-of/unknown-at';
export { whyOf } from './as-of/why';
export { fileInPack } from './evidence/evidence-pack';
export { EvidenceService } from './evidence/evidence.service';
export { isCheckpointOf, parseCheckpoint, type SignedCheckpoint, timeOf } from './log-proofs/checkpoint';
export { OriginDamaged, readOrigin } from './log-proofs/checkpoint-issuer';
export { type CheckpointPlace, DirectoryWitness, FilesPlace } from './log-proofs/checkpoint-places';
export {
  consistencyProblem,
  type ConsistencyProof,
  consistencyProofOf,
  consistencyProofText,
  type EventProof,
  eventProofProblem,
  EventProofs,
  eventProofText,
  type MadeProof,
  PROOF_CHARACTERS_MAX,
  readProof,
} from './log-proofs/event-proof';
export { KeyRefused, makeSigningKeyFile, readSigningKeyFile, readVerifyKeyFile, type SigningKey, type VerifyKey } from './log-proofs/keys';
export type { FoundCheckpoint } from './log-proofs/known-checkpoints';
export { parseLeaf } from './log-proofs/log-leaf';
export { LogProofs, type LogProofsHealth } from './log-proofs/log-proofs';
export { faultText } from './log-proofs/log-tree';
export { FolderFiles, type ProofFiles } from './log-proofs/proof-files';
export { TileDamaged } from './log-proofs/tiles';
export { verifyLog } from './log-proofs/verify-log';
export { findingText, type LogFinding, type PlaceCount, type VerifyLogReport } from './log-proofs/verify-report';
export { act, actingAlone, type ActingOperator } from './operator/acting-operator';
export {
  type AuditAnswer,
  AuditService,
  type OrderPage,
  type ShownConfiguration,
  type TrailAnswer,
  type TrailPage,
} from './operator/audit.service';
export { type CustomerFound, type Erasing, ErasureService, type Holding } from './operator/erasure.service';
export { type GateState, GateStates } from './operator/gate-states';
export { type AccessRefused, OperatorAccess } from './operator/operator-access';
export { LEAST_ROLES, type OperatorRequestName } from './operator/operator-roles';
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
export { type NoSuch, OrderHistories, type StateAsOf, type UnknownThen } from './operator/order-histories';
export { NAME_KINDS, type NameKind, type OrderIds, OrderNames, type OrderUnnamed } from './operator/order-names';
export { QuestionsOnRecord } from './operator/questions-on-record';
export { type RouteAnswer, type RouteExplanation, RouteExplanations, type RouteQuestion } from './operator/route-explanation';
export { AUDIT_FORMATS, type AuditFormat } from './orders/audit-format';
export { concealSealed, ERASED, SEALED } from './orders/conceal-sealed';
export { writeCursor } from './orders/list-orders';
export { ListOrders } from './orders/list-orders';
export { IDENTIFIER_KINDS, type ListQuestion } from './orders/list-question';
export { aroundDay, isDay, isZone, type Notice } from './orders/notice';
export { OrderTrails } from './orders/order-trail';
export { tokenEnd } from './orders/token-end';
export type { TrailEntry } from './orders/trail-entry';
export { type DecidedAgain, WHAT_IF_CLASSES, type WhatIfClass } from './replay/decide-again';
export type { NotKnown, WouldEnd } from './replay/walk-again';
export { whatIf, type WhatIfEnd } from './replay/what-if';
export { type RuleTotals, WhatIfTotals } from './replay/what-if-totals';
