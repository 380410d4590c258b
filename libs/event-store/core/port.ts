import type { Brand, Deadline, NonEmpty } from '@app/kernel';

/** `<category>-<base32>`; a category holds no hyphen (architecture, rule 1). */
export type StreamName = Brand<string, 'StreamName'>;
/** Number of an event in its stream, from 0n. */
export type Revision = Brand<bigint, 'Revision'>;
/** Position in the whole log. Only the store that issued it may compare it (`comparePositions`) or resume from it. */
export type Position = Brand<string, 'Position'>;
export type EventId = Brand<string, 'EventId'>;

export interface NewEvent {
  /** A UUID, not all zero; the same over every retry of one append. */
  readonly id: EventId;
  readonly type: string;
  /** RFC 8785 text. */
  readonly data: string;
  /** RFC 8785 text. */
  readonly metadata: string;
}

export interface StoredEvent extends NewEvent {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  /** The store's own time, ms since the epoch. No decision depends on it. */
  readonly createdMs: number;
}

export interface Appended {
  readonly kind: 'appended';
  /** Revision of the batch's last event; of the original append where this one was a recognised retry. */
  readonly revision: Revision;
}

export interface Conflict {
  readonly kind: 'conflict';
  readonly actual: 'no_stream' | Revision;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** Everything up to the head at the session's start was delivered; sent once per session, and later events are live. */
  | { readonly kind: 'caught-up' }
  /** All events of these categories up to this position were delivered. */
  | { readonly kind: 'checkpoint'; readonly position: Position };

/** One session: sequential, without gaps or duplicates; ends by `cancel()` or with StoreUnavailable. */
export interface Subscription extends AsyncIterable<SubscriptionItem> {
  cancel(): Promise<void>;
}

/** The event log (architecture, "The ports, once"). */
export interface EventStore {
  /**
   * Appends at an exact revision or `no_stream`; there is no "any". A retry with the same ids at the same expected revision succeeds and changes
   * nothing, also after the stream has moved on; any other difference is a Conflict.
   * @param limitMs a shorter time limit than the store's own; after it nothing more is sent
   * @throws StoreUnavailable nothing was stored; OutcomeUnknown it may have been; EventRefused the batch breaks a limit or the guard.
   */
  append(stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>, limitMs?: number): Promise<Appended | Conflict>;
  /**
   * Reads in order, from `from` (inclusive); a missing stream is empty.
   * @param deadline the caller's deadline: when it has passed, the read ends and frees its call, connection and slot
   * @throws StoreUnavailable also where the deadline has passed
   */
  read(stream: StreamName, from?: Revision, deadline?: Deadline): AsyncIterable<StoredEvent>;
  /** Events of the categories after `after` (exclusive). `all` includes categories that this release does not know, but not the store's own streams. */
  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription;
  /** Position of the newest event; in an empty log, a position before all events. @param deadline as in `read` @throws StoreUnavailable */
  head(deadline?: Deadline): Promise<Position>;
  /** For readiness, where the store lies in a file. @throws Error while its disk is full: after a write that it refused, until there is room again */
  assertRoom?(): Promise<void>;
  /** Negative where `a` lies before `b`. */
  comparePositions(a: Position, b: Position): number;
  /** Releases the store's resources, after every accepted append is stored. */
  close(): Promise<void>;
}

/** Nothing was stored: the caller may try again or answer with code 20. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The stored bytes are not those that were written. Readers treat the store as unavailable, and it does not recover by itself. */
export class StoreDamaged extends StoreUnavailable {}

/** The server dropped a live subscription because its reader was behind. A new one resumes at its position and loses nothing. */
export class SubscriptionDropped extends StoreUnavailable {}

/** The answer was lost and the append may be stored; a retry with the same ids finds out. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A bug of the caller: the event is too large, malformed or looks as if it held a card number. Nothing was stored. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}

/** The same limits for every store, below the strictest one (EventStoreDB accepts 1,048,576 bytes of data per append). */
export const APPEND_DATA_BYTES_MAX = 1_000_000;
export const EVENT_DATA_BYTES_MAX = 900_000;
export const EVENT_METADATA_BYTES_MAX = 16_384;
export const APPEND_EVENTS_MAX = 100;
