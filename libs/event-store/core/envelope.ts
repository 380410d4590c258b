import type { Instant } from '@app/kernel';
import type { CallerTrace, Traced } from './caller-trace';
import { EventRefused, type Revision, type StoredEvent, type StreamName } from './port';
import { looksLikeCardNumber } from './codec/card-number-guard';

/** The party that acts: a merchant, an operator, a reactor. */
export interface Actor {
  /** The authenticated party. */
  readonly actor: string;
  /** The party on whose behalf the caller says to act: recorded, but never trusted. */
  readonly claimedActor?: string;
}

/**
 * The cause of an append, written into the metadata of each of its events (architecture, rule 7). Its `correlation` is the request that started the whole
 * chain of work.
 */
export interface Envelope extends Actor, Traced {
  /** The direct cause: a request's serial, or the id of the event that a reactor reacts to. */
  readonly causation: string;
  readonly merchant: string;
  /** Event ids derive from it: it stays the same over the retries of one append and is never used for another (architecture, rule 2). */
  readonly commandId: string;
  readonly recordedAt: Instant;
}

/** The end of a stream: its newest event, or `no_stream`. */
export type Last = 'no_stream' | { readonly revision: Revision; readonly hash: string };

export interface EventMetadata {
  /** Absent where the request had no trace, and in events of older releases. */
  readonly callerTrace?: CallerTrace;
  readonly correlation: string;
  readonly causation: string;
  readonly actor: string;
  readonly claimedActor?: string;
  readonly merchant: string;
  readonly schemaVersion: number;
  readonly recordedAt: Instant;
  /** Hash of the stream's previous event; null in its first. */
  readonly previousHash: string | null;
  /** Shows that an event was moved to another stream. Absent in events of older releases. */
  readonly stream?: StreamName;
}

const ENVELOPE_TEXT_LENGTH_MAX = 256;

const written = (name: keyof Envelope, text: string): string => {
  if (typeof text !== 'string' || text.length > ENVELOPE_TEXT_LENGTH_MAX || !text.isWellFormed()) {
    throw new EventRefused(`metadata.${name}: a text of at most ${ENVELOPE_TEXT_LENGTH_MAX} characters is expected`);
  }
  if ((name === 'actor' || name === 'claimedActor' || name === 'callerTrace') && looksLikeCardNumber(text)) {
    throw new EventRefused(`metadata.${name}: looks like a card number`);
  }
  return JSON.stringify(text);
};

/** Writes the members that all events of one append share only once, as RFC 8785 text in canonical order with a gap for what differs. */
export const metadataWriter = (
  envelope: Envelope,
  stream: StreamName,
): ((previousHash: string | null, schemaVersion: number) => string) => {
  if (!Number.isSafeInteger(envelope.recordedAt)) throw new EventRefused('metadata.recordedAt: a whole number is expected');
  const { claimedActor, callerTrace } = envelope;
  const head =
    `{"actor":${written('actor', envelope.actor)}` +
    (callerTrace === undefined ? '' : `,"callerTrace":${written('callerTrace', callerTrace)}`) +
    `,"causation":${written('causation', envelope.causation)}` +
    (claimedActor === undefined ? '' : `,"claimedActor":${written('claimedActor', claimedActor)}`) +
    `,"correlation":${written('correlation', envelope.correlation)},"merchant":${written('merchant', envelope.merchant)},"previousHash":`;
  const tail = `${STREAM_MEMBER}${JSON.stringify(stream)}}`;
  return (previousHash, schemaVersion) =>
    `${head}${previousHash === null ? 'null' : `"${previousHash}"`},"recordedAt":${envelope.recordedAt},"schemaVersion":${schemaVersion}${tail}`;
};

export const metadataOf = (event: Pick<StoredEvent, 'metadata'>): EventMetadata => JSON.parse(event.metadata) as EventMetadata;

/** The last member of canonical metadata. No member's value can contain this text, because its quotes would be escaped. */
const STREAM_MEMBER = ',"stream":';

/** The end of the version: before the stream's name, or before the closing brace where there is none. */
const endOfVersion = (metadata: string): number => {
  const at = metadata.endsWith('"}') ? metadata.lastIndexOf(STREAM_MEMBER) : -1;
  return at < 0 ? metadata.length - 1 : at;
};

/** Whether the event belongs to the stream that holds it. Metadata of the first release name no stream and fit any. */
export const isOfItsStream = ({ stream, metadata }: Pick<StoredEvent, 'stream' | 'metadata'>): boolean => {
  if (metadata.endsWith(`${STREAM_MEMBER}"${stream}"}`)) return true;
  if (!metadata.endsWith('"}')) return true;
  const at = metadata.lastIndexOf(STREAM_MEMBER);
  return at < 0 || metadata.slice(at + STREAM_MEMBER.length, -1) === JSON.stringify(stream);
};

/** Only the stream's name follows the version, so that a rebuild reads it without parsing the rest. */
const VERSION_AT_END = /"schemaVersion":([1-9]\d{0,5})$/;
const VERSION_TAIL_LENGTH = 23;

export const schemaVersionOf = ({ metadata }: Pick<StoredEvent, 'metadata'>): number | undefined => {
  const end = endOfVersion(metadata);
  const match = VERSION_AT_END.exec(metadata.slice(Math.max(0, end - VERSION_TAIL_LENGTH), end));
  return match === null ? undefined : Number(match[1]);
};

const PREVIOUS_HASH = /"previousHash":(?:null|"([0-9a-f]{64})"),"recordedAt":-?\d+,"schemaVersion":\d+$/;
const PREVIOUS_HASH_TAIL_LENGTH = 160;

/** Undefined where the metadata were not written by `metadataWriter`. */
export const previousHashOf = ({ metadata }: Pick<StoredEvent, 'metadata'>): string | null | undefined => {
  const end = endOfVersion(metadata);
  const match = PREVIOUS_HASH.exec(metadata.slice(Math.max(0, end - PREVIOUS_HASH_TAIL_LENGTH), end));
  return match === null ? undefined : (match[1] ?? null);
};
