export { backOffMs } from './core/back-off';
export { base32, fromBase32, eventId, lengthPrefixed, categoryOf, POSITION, positionLike, streamName } from './core/names-and-ids';
export {
  type CallerTrace,
  readTraceparent,
  type Traced,
  traceIdOf,
  traceparentOf,
  type Actor,
  type Envelope,
  type EventMetadata,
  type Last,
  metadataOf,
  metadataWriter,
  previousHashOf,
} from './core/envelope';
export { assertChained, assertFollows, BrokenChain, ChainChecker, readChained, hashOf } from './core/chain';
export { concealCardNumbers, looksLikeCardNumber, looksLikeCardNumberInReference } from './core/codec/card-number-guard';
export { type AnyEvent, type CatalogueEntry, type EventCodec, eventCodec, type EventType, UndecodableEvent } from './core/codec/codec';
export { type FieldEntry, type FieldKind, type FieldsOf, ID_LENGTH_MAX } from './core/codec/fields';
export { f } from './core/codec/schema';
export { flatEvents, type FlatEvents, fromFlatEvents } from './core/flat-events';
export { assertInTime, readsWithin, storeWithin } from './core/in-time';
export {
  type EventId,
  EventRefused,
  type EventStore,
  type NewEvent,
  OutcomeUnknown,
  type Position,
  type Revision,
  StoreDamaged,
  type StoredEvent,
  StoreUnavailable,
  type StreamName,
  type Subscription,
  SubscriptionDropped,
  type SubscriptionItem,
} from './core/port';
export { type StartedRequest, type RequestDeadline, RequestDeadlines } from './core/request-deadlines';
export {
  afterEffect,
  appendKnown,
  type DecisionResult,
  type DecisionRun,
  lastAfter,
  runDecision,
  runOpeningDecision,
} from './decide/decision-runner';
export { FoldedStreams, load, loadOnto } from './decide/load';
export { EXHAUSTED, type IssuedNumber, NumberBlocks, type NumberBlocksSettings, serialCodec, SerialNumbers } from './decide/number-blocks';
export { claimHolder, claimUnique, continueClaim, releaseClaim, uniqueClaimCodec } from './decide/unique-claim';
export { observedLog } from './subscribe/observed-log';
export type { ProjectionStore } from './subscribe/batch-applier';
export { FollowedStream, FOLLOWED_EVERY_MS } from './subscribe/followed-stream';
export { StreamCopies } from './subscribe/stream-copies';
export { SubscriptionRunner } from './subscribe/subscription-runner';
export { DueTimes } from './work/due-times';
export type { DueLane, DueLanes, LaneFrom, OpenWork, WorkChange, WorkItem, WorkListing, WorkPlace } from './work/open-work';
export { ReactorRunner, type ReactorRunnerSettings } from './work/reactor-runner';
export { BackgroundThrottle } from './work/background-throttle';
