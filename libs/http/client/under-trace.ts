import { traceparentOf, type Traced } from '@app/event-store';
import type { Random } from '@app/kernel';
import type { EgressRequest } from './egress';

/** Adds the trace of the request that led to this call (W3C Trace Context, level 1), with a span for each try. */
export const underTrace = (request: EgressRequest, traced: Traced, random: Pick<Random, 'bytes'>): EgressRequest => {
  const traceparent = traceparentOf(traced, random);
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
};
