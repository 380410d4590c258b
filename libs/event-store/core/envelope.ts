import type { Brand, Random, Instant } from '@app/kernel';
import { looksLikeCardNumber } from './codec/card-number-guard';
import { EventRefused, type Revision, type StoredEvent, type StreamName } from './port';

/** 32 hex digits, then `-01` if the caller samples the trace or `-00` if not. */
export type CallerTrace = Brand<string, 'CallerTrace'>;

export interface Traced {
  readonly correlation: string;
  readonly callerTrace?: CallerTrace | undefined;
}

const TRACEPARENT_LENGTH = 55;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const CALLER_TRACE = /^[0-9a-f]{32}-0[01]$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TRACE_ID_LENGTH = 32;
const NO_TRACE = '0'.repeat(TRACE_ID_LENGTH);
const SPAN_BYTES = 8;
const NO_SPAN = '0'.repeat(2 * SPAN_BYTES);
const SAMPLED = 1;

/**
 * Reads a `traceparent` header (W3C Trace Context, level 1, version 00). Returns undefined if it is invalid or looks like a card number,
 * because the id is stored and logged.
 */
export const readTraceparent = (header: string | readonly string[] | undefined): CallerTrace | undefined => {
  if (typeof header !== 'string' || header.length !== TRACEPARENT_LENGTH) return undefined;
  const [, traceId = NO_TRACE, spanId = NO_SPAN, flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  const trace = `${traceId}-0${parseInt(flags, 16) & SAMPLED}`;
  return looksLikeCardNumber(trace) ? undefined : (trace as CallerTrace);
};

export const traceIdOf = (trace: CallerTrace): string => trace.slice(0, TRACE_ID_LENGTH);

/** A request without a trace uses its own serial-number as the trace id, not sampled. */
const traceOf = ({ correlation, callerTrace }: Traced): string | undefined => {
  if (callerTrace !== undefined && CALLER_TRACE.test(callerTrace)) return callerTrace;
  const traceId = UUID.test(correlation) ? correlation.replaceAll('-', '') : NO_TRACE;
  return traceId === NO_TRACE ? undefined : `${traceId}-00`;
};

export const traceparentOf = (traced: Traced, random: Pick<Random, 'bytes'>): string | undefined => {
  const trace = traceOf(traced);
  if (trace === undefined) return undefined;
  const span = Buffer.from(random.bytes(SPAN_BYTES)).toString('hex');
  // W3C Trace Context forbids a span id of zeros.
  const spanId = span === NO_SPAN ? `${NO_SPAN.slice(1)}1` : span;
  return `00-${traceIdOf(trace as CallerTrace)}-${spanId}-${trace.slice(TRACE_ID_LENGTH + 1)}`;
};

export interface Actor {
  readonly actor: string;
  /** The party that the caller claims to act for: recorded, never trusted. */
  readonly claimedActor?: string;
  /** The decision that permitted the actor's append; the append's cause if it is given. */
  readonly causation?: string;
}

/**
 * The cause of an append, written into the metadata of each event (architecture, rule 7). `correlation` is the request that started the
 * chain of work.
 */
export interface Envelope extends Actor, Traced {
  readonly causation: string;
  readonly merchant: string;
  /** Event ids derive from it. Retries of one append use the same id; no other append may use it (architecture, rule 2). */
  readonly commandId: string;
  readonly recordedAt: Instant;
}

export type Last = 'no_stream' | { readonly revision: Revision; readonly hash: string };

export interface EventMetadata {
  /** Undefined if the request had no trace, and in events of older releases. */
  readonly callerTrace?: CallerTrace;
  readonly correlation: string;
  readonly causation: string;
  readonly actor: string;
  readonly claimedActor?: string;
  readonly merchant: string;
  readonly schemaVersion: number;
  readonly recordedAt: Instant;
  readonly previousHash: string | null;
  /** Detects an event moved to another stream. Undefined in events of older releases. */
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

/** The last member of canonical metadata. No value can contain this text, because its quotes would be escaped. */
const STREAM_MEMBER = ',"stream":';

const endOfVersion = (metadata: string): number => {
  const at = metadata.endsWith('"}') ? metadata.lastIndexOf(STREAM_MEMBER) : -1;
  return at < 0 ? metadata.length - 1 : at;
};

/** Whether the event belongs to the stream that contains it. Metadata of the first release have no stream name and fit any. */
export const isOfItsStream = ({ stream, metadata }: Pick<StoredEvent, 'stream' | 'metadata'>): boolean => {
  if (metadata.endsWith(`${STREAM_MEMBER}"${stream}"}`)) return true;
  if (!metadata.endsWith('"}')) return true;
  const at = metadata.lastIndexOf(STREAM_MEMBER);
  return at < 0 || metadata.slice(at + STREAM_MEMBER.length, -1) === JSON.stringify(stream);
};

/** Read from the end of the text, so that a rebuild need not parse the rest. */
const VERSION_AT_END = /"schemaVersion":([1-9]\d{0,5})$/;
const VERSION_TAIL_LENGTH = 23;

export const schemaVersionOf = ({ metadata }: Pick<StoredEvent, 'metadata'>): number | undefined => {
  const end = endOfVersion(metadata);
  const match = VERSION_AT_END.exec(metadata.slice(Math.max(0, end - VERSION_TAIL_LENGTH), end));
  return match === null ? undefined : Number(match[1]);
};

const PREVIOUS_HASH = /"previousHash":(?:null|"([0-9a-f]{64})"),"recordedAt":-?\d+,"schemaVersion":\d+$/;
const PREVIOUS_HASH_TAIL_LENGTH = 160;

/** Undefined if the metadata were not written by `metadataWriter`. */
export const previousHashOf = ({ metadata }: Pick<StoredEvent, 'metadata'>): string | null | undefined => {
  const end = endOfVersion(metadata);
  const match = PREVIOUS_HASH.exec(metadata.slice(Math.max(0, end - PREVIOUS_HASH_TAIL_LENGTH), end));
  return match === null ? undefined : (match[1] ?? null);
};
