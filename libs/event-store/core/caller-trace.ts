import type { Brand, Random } from '@app/kernel';
import { looksLikeCardNumber } from './codec/card-number-guard';

/** The trace of a request: an id of 32 hex digits, and `-01` where the caller samples it, `-00` where not. */
export type CallerTrace = Brand<string, 'CallerTrace'>;

/** Links work to the request that caused it, and through it to the caller's trace. */
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
 * Reads the trace of a `traceparent` header (W3C Trace Context, level 1, version 00). Anything else gives undefined, since a header is no reason to refuse
 * a request. An id that looks like a card number gives undefined too, because it would be stored and logged.
 */
export const readTraceparent = (header: string | readonly string[] | undefined): CallerTrace | undefined => {
  if (typeof header !== 'string' || header.length !== TRACEPARENT_LENGTH) return undefined;
  const [, traceId = NO_TRACE, spanId = NO_SPAN, flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  const trace = `${traceId}-0${parseInt(flags, 16) & SAMPLED}`;
  return looksLikeCardNumber(trace) ? undefined : (trace as CallerTrace);
};

/** The 32 hex digits by which logs name a trace. */
export const traceIdOf = (trace: CallerTrace): string => trace.slice(0, TRACE_ID_LENGTH);

/** A request without a trace uses its own serial-number as the trace id, not sampled. */
const traceOf = ({ correlation, callerTrace }: Traced): string | undefined => {
  if (callerTrace !== undefined && CALLER_TRACE.test(callerTrace)) return callerTrace;
  const traceId = UUID.test(correlation) ? correlation.replaceAll('-', '') : NO_TRACE;
  return traceId === NO_TRACE ? undefined : `${traceId}-00`;
};

/** The `traceparent` of one outgoing call, with a new span id; undefined where there is no trace. */
export const traceparentOf = (traced: Traced, random: Pick<Random, 'bytes'>): string | undefined => {
  const trace = traceOf(traced);
  if (trace === undefined) return undefined;
  const span = Buffer.from(random.bytes(SPAN_BYTES)).toString('hex');
  // W3C Trace Context forbids a span id of zeros.
  const spanId = span === NO_SPAN ? `${NO_SPAN.slice(1)}1` : span;
  return `00-${traceIdOf(trace as CallerTrace)}-${spanId}-${trace.slice(TRACE_ID_LENGTH + 1)}`;
};
