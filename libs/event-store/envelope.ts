import type { Instant } from '@app/kernel';
import { EventRefused, type Revision, type StoredEvent } from './port';
import { looksLikeCardNumber } from './card-number-guard';

/** Who and what made an event come about; goes into the metadata of every event of one append (architecture, rule 7). */
export interface Envelope {
  /** The serial-number of the request that all of it began with. */
  readonly correlation: string;
  /** What led to this append: a request's serial, or the id of the event that a reactor answers. */
  readonly causation: string;
  /** Who acts: a merchant, an operator, a reactor. */
  readonly actor: string;
  readonly merchant: string;
  /** Makes the event ids: the same over the retries of one append, never for another (architecture, rule 2). */
  readonly commandId: string;
  readonly recordedAt: Instant;
}

/** Where a stream stands: nothing yet, or its newest event. */
export type Last = 'no_stream' | { readonly revision: Revision; readonly hash: string };

export interface EventMetadata {
  readonly correlation: string;
  readonly causation: string;
  readonly actor: string;
  readonly merchant: string;
  readonly schemaVersion: number;
  readonly recordedAt: Instant;
  /** Hash of the stream's previous event; null in its first. */
  readonly previousHash: string | null;
}

const ENVELOPE_TEXT_LENGTH_MAX = 256;

const written = (name: keyof Envelope, text: string): string => {
  if (typeof text !== 'string' || text.length > ENVELOPE_TEXT_LENGTH_MAX || !text.isWellFormed()) {
    throw new EventRefused(`metadata.${name}: a text of at most ${ENVELOPE_TEXT_LENGTH_MAX} characters is expected`);
  }
  if (name === 'actor' && looksLikeCardNumber(text)) throw new EventRefused('metadata.actor: looks like a card number');
  return JSON.stringify(text);
};

/** The members that all events of one append share, as RFC 8785 text with a gap for what differs: the names stand in canonical order. */
export const metadataWriter = (envelope: Envelope): ((previousHash: string | null, schemaVersion: number) => string) => {
  if (!Number.isSafeInteger(envelope.recordedAt)) throw new EventRefused('metadata.recordedAt: a whole number is expected');
  const head =
    `{"actor":${written('actor', envelope.actor)},"causation":${written('causation', envelope.causation)}` +
    `,"correlation":${written('correlation', envelope.correlation)},"merchant":${written('merchant', envelope.merchant)},"previousHash":`;
  return (previousHash, schemaVersion) =>
    `${head}${previousHash === null ? 'null' : `"${previousHash}"`},"recordedAt":${envelope.recordedAt},"schemaVersion":${schemaVersion}}`;
};

export const metadataOf = (event: Pick<StoredEvent, 'metadata'>): EventMetadata => JSON.parse(event.metadata) as EventMetadata;

/** The version stands last in canonical metadata: a rebuild reads it without parsing the rest. */
const VERSION_AT_END = /"schemaVersion":([1-9]\d{0,5})\}$/;
const VERSION_TAIL_LENGTH = 24;

export const schemaVersionOf = (event: Pick<StoredEvent, 'metadata'>): number | undefined => {
  const match = VERSION_AT_END.exec(event.metadata.slice(-VERSION_TAIL_LENGTH));
  return match === null ? undefined : Number(match[1]);
};

const PREVIOUS_HASH = /"previousHash":(?:null|"([0-9a-f]{64})"),"recordedAt":-?\d+,"schemaVersion":\d+\}$/;
const PREVIOUS_HASH_TAIL_LENGTH = 160;

/** Undefined where the metadata is not ours. */
export const previousHashOf = (event: Pick<StoredEvent, 'metadata'>): string | null | undefined => {
  const match = PREVIOUS_HASH.exec(event.metadata.slice(-PREVIOUS_HASH_TAIL_LENGTH));
  return match === null ? undefined : (match[1] ?? null);
};
