import type { Brand, Deadline, NonEmpty } from '@app/kernel';

/** `<category>-<base32>`; a category holds no hyphen (architecture, rule 1). */
export type StreamName = Brand<string, 'StreamName'>;
export type Revision = Brand<bigint, 'Revision'>;
/** Position in the whole log. Only the store that issued it may compare it (`comparePositions`) or resume from it. */
export type Position = Brand<string, 'Position'>;
export type EventId = Brand<string, 'EventId'>;

export interface NewEvent {
  /** A UUID, not all zero. Retries of one append use the same id. */
  readonly id: EventId;
  readonly type: string;
  readonly data: string;
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
  /** Revision of the batch's last event, or of the original append if this was a retry. */
  readonly revision: Revision;
}

export interface Conflict {
  readonly kind: 'conflict';
  readonly actual: 'no_stream' | Revision;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** The session has reached the head as of its start. Sent once; later events are live. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'checkpoint'; readonly position: Position };

export interface Subscription extends AsyncIterable<SubscriptionItem> {
  cancel(): Promise<void>;
}

export interface EventStore {
  /**
   * Appends at an exact revision or `no_stream`. A retry with the same ids and expected revision succeeds without change; any other
   * difference is a Conflict.
   * @param limitMs a shorter time limit than the store's own; after it nothing more is sent
   * @throws StoreUnavailable nothing was stored; OutcomeUnknown it may have been stored; EventRefused the batch exceeds a limit or contains
   * a card number
   */
  append(stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>, limitMs?: number): Promise<Appended | Conflict>;
  /**
   * Reads in order, from `from` (inclusive). A missing stream is empty.
   * @param deadline ends the read and frees its connection
   * @throws StoreUnavailable also if the deadline has passed
   */
  read(stream: StreamName, from?: Revision, deadline?: Deadline): AsyncIterable<StoredEvent>;
  /**
   * Events of the categories after `after` (exclusive). `all` includes categories that this release does not know, but not the store's own
   * streams.
   */
  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription;
  /**
   * Position of the newest event, or a position before all events if the log is empty.
   * @throws StoreUnavailable
   */
  head(deadline?: Deadline): Promise<Position>;
  /**
   * For readiness of a store in a file.
   * @throws Error if the disk refused a write and is still full
   */
  assertRoom?(): Promise<void>;
  comparePositions(a: Position, b: Position): number;
  close(): Promise<void>;
}

/** Nothing was stored: the caller may retry or return code 20. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The stored bytes differ from those written. The store does not recover without an operator. */
export class StoreDamaged extends StoreUnavailable {}

/** The server dropped a slow reader. Subscribe again from its position; no event is lost. */
export class SubscriptionDropped extends StoreUnavailable {}

/** No response arrived and the append may be stored. Retry with the same ids to find out. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A caller's bug: the event is too large, malformed or seems to contain a card number. Nothing was stored. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}

/** Every store has the same limits, below the strictest one (EventStoreDB accepts 1,048,576 bytes of data per append). */
export const APPEND_DATA_BYTES_MAX = 1_000_000;
export const EVENT_DATA_BYTES_MAX = 900_000;
export const EVENT_METADATA_BYTES_MAX = 16_384;
export const APPEND_EVENTS_MAX = 100;
