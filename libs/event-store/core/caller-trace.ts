import type { Brand, Random } from '@app/kernel';
import { looksLikeCardNumber } from './codec/card-number-guard';

/** The trace that a request came under: its id of 32 hex digits, and `-01` where its caller records it, `-00` where not. */
export type CallerTrace = Brand<string, 'CallerTrace'>;

/** What goes back to a request, and with it to the trace that this belongs to. */
export interface Traced {
  /** The serial-number of the request. */
  readonly correlation: string;
  /** Absent where the request brought none. */
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
 * The trace of a `traceparent` header (W3C Trace Context, level 1, version 00); undefined for anything else, for a header is no reason to refuse a
 * request. So is an id in which a card number could be read: it would be stored and logged.
 */
export const readTraceparent = (header: string | readonly string[] | undefined): CallerTrace | undefined => {
  if (typeof header !== 'string' || header.length !== TRACEPARENT_LENGTH) return undefined;
  const [, traceId = NO_TRACE, spanId = NO_SPAN, flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  const trace = `${traceId}-0${parseInt(flags, 16) & SAMPLED}`;
  return looksLikeCardNumber(trace) ? undefined : (trace as CallerTrace);
};

/** As logs name a trace: 32 hex digits. */
export const traceIdOf = (trace: CallerTrace): string => trace.slice(0, TRACE_ID_LENGTH);

/** Of a request that came under no trace its own serial-number is one, which nobody records yet. */
const traceOf = ({ correlation, callerTrace }: Traced): string | undefined => {
  if (callerTrace !== undefined && CALLER_TRACE.test(callerTrace)) return callerTrace;
  const traceId = UUID.test(correlation) ? correlation.replaceAll('-', '') : NO_TRACE;
  return traceId === NO_TRACE ? undefined : `${traceId}-00`;
};

/** What a call under this trace carries as its `traceparent`, each under a span of its own; undefined where nothing names a trace. */
export const traceparentOf = (traced: Traced, random: Pick<Random, 'bytes'>): string | undefined => {
  const trace = traceOf(traced);
  if (trace === undefined) return undefined;
  const span = Buffer.from(random.bytes(SPAN_BYTES)).toString('hex');
  // All zeros mean that there is none.
  const spanId = span === NO_SPAN ? `${NO_SPAN.slice(1)}1` : span;
  return `00-${traceIdOf(trace as CallerTrace)}-${spanId}-${trace.slice(TRACE_ID_LENGTH + 1)}`;
};
