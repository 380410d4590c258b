import type { Brand, Deadline, NonEmpty } from '@app/kernel';

/** `<category>-<base32>`; a category holds no hyphen (architecture, rule 1). */
export type StreamName = Brand<string, 'StreamName'>;
/** Place of an event in its stream, from 0n. */
export type Revision = Brand<bigint, 'Revision'>;
/** Place in the whole log: compare with `comparePositions` of the store that gave it and resume from it, nothing else. */
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
  /** The store's own time, ms since the epoch. Nothing is decided by it. */
  readonly createdMs: number;
}

export interface Appended {
  readonly kind: 'appended';
  /** Of the last event of the batch; of the first time where the append was a recognised retry. */
  readonly revision: Revision;
}

export interface Conflict {
  readonly kind: 'conflict';
  readonly actual: 'no_stream' | Revision;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** All up to the head as it was has been delivered; comes once per session, what follows is live. */
  | { readonly kind: 'caught-up' }
  /** No event of these categories stands at or before this position beyond those delivered. */
  | { readonly kind: 'checkpoint'; readonly position: Position };

/** One session: sequential, without gap or double; ends by `cancel()` or with StoreUnavailable. */
export interface Subscription extends AsyncIterable<SubscriptionItem> {
  cancel(): Promise<void>;
}

/** The event log (architecture, "The ports, once"). */
export interface EventStore {
  /**
   * Exact revision or `no_stream`; there is no "any". A retry with the same ids at the same expected revision succeeds and changes nothing,
   * also after the stream has moved on; any other difference is a Conflict.
   * @param limitMs how long it may take where that is less than the store's own limit; beyond it nothing more of it is sent
   * @throws StoreUnavailable nothing was stored; OutcomeUnknown it may have been; EventRefused the batch breaks a limit or the guard.
   */
  append(stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>, limitMs?: number): Promise<Appended | Conflict>;
  /**
   * In order, from `from` (inclusive); a missing stream is empty.
   * @param deadline of whoever it is read for: over, the read ends and holds no call, connection or slot
   * @throws StoreUnavailable also where the deadline is over
   */
  read(stream: StreamName, from?: Revision, deadline?: Deadline): AsyncIterable<StoredEvent>;
  /** Events of the categories (of all that there are, also of such as this release does not know, but not of the store's own streams), exclusive of `after`. */
  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription;
  /** Position of the newest event; of an empty log, a position before all. @param deadline as of `read` @throws StoreUnavailable */
  head(deadline?: Deadline): Promise<Position>;
  /** Negative where `a` lies before `b`. */
  comparePositions(a: Position, b: Position): number;
  /** Resolves when every accepted append is stored and releases what the store holds. */
  close(): Promise<void>;
}

/** Nothing was stored: the caller may try again or answer code 20. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** What lies in the store is not what was written: to whoever reads it is away, and it does not come back by itself. */
export class StoreDamaged extends StoreUnavailable {}

/** The answer was lost: the append may have been stored. The same ids tell, later. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A bug above the store: an event too large, malformed or holding what looks like a card number. Nothing was stored. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}

/** Our own limits, the same over every store (EventStoreDB takes 1,048,576 bytes of data an append). */
export const APPEND_DATA_BYTES_MAX = 1_000_000;
export const EVENT_DATA_BYTES_MAX = 900_000;
export const EVENT_METADATA_BYTES_MAX = 16_384;
export const APPEND_EVENTS_MAX = 100;
