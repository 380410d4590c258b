export { backOffMs } from './core/back-off';
export { base32, fromBase32 } from './core/base32';
export { type CallerTrace, readTraceparent, type Traced, traceIdOf, traceparentOf } from './core/caller-trace';
export { assertChained, assertFollows, BrokenChain } from './core/chain';
export { ChainWatch } from './core/chain-watch';
export { readChained } from './core/chained-read';
export { concealCardNumbers, looksLikeCardNumber, looksLikeCardNumberInReference } from './core/codec/card-number-guard';
export { type AnyEvent, type CatalogueEntry, type EventCodec, eventCodec, type EventType, UndecodableEvent } from './core/codec/codec';
export type { FieldEntry, FieldKind, FieldsOf } from './core/codec/field';
export { f } from './core/codec/schema';
export { ID_LENGTH_MAX } from './core/codec/value-fields';
export { type Actor, type Envelope, type EventMetadata, type Last, metadataOf, metadataWriter, previousHashOf } from './core/envelope';
export { hashOf } from './core/event-hash';
export { eventId } from './core/event-id';
export { flatEvents, type FlatEvents, fromFlatEvents } from './core/flat-events';
export { assertInTime } from './core/in-time';
export { lengthPrefixed } from './core/length-prefixed';
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
export { type BegunRequest, type RequestDeadline, RequestDeadlines } from './core/request-deadlines';
export { readsWithin, storeWithin } from './core/store-within';
export { categoryOf, streamName } from './core/stream-name';
export { appendKnown, type DecisionResult, type DecisionRun, lastAfter, runDecision, runOpeningDecision } from './decide/decision-runner';
export { FoldedStreams } from './decide/folded-streams';
export { load, loadOnto } from './decide/load';
export { EXHAUSTED, type IssuedNumber, NumberBlocks, type NumberBlocksSettings, serialCodec } from './decide/number-blocks';
export { SerialNumbers } from './decide/serial-numbers';
export { claimHolder, claimUnique, continueClaim, releaseClaim, uniqueClaimCodec } from './decide/unique-claim';
export type { ProjectionStore } from './subscribe/projection-store';
export { SubscriptionRunner } from './subscribe/subscription-runner';
export { DueTimes } from './work/due-times';
export type { DueLane, DueLanes, OpenWork, WorkChange, WorkItem, WorkListing } from './work/open-work';
export { ReactorRunner, type ReactorRunnerSettings } from './work/reactor-runner';
export { Turns } from './work/turns';
