import { traceparentOf, type Traced } from '@app/event-store';
import type { Random } from '@app/kernel';
import type { EgressRequest } from './egress';

/** A call as it leaves under the trace of the request that it goes back to (W3C Trace Context, level 1), each try under a span of its own. */
export const underTrace = (request: EgressRequest, traced: Traced, random: Pick<Random, 'bytes'>): EgressRequest => {
  const traceparent = traceparentOf(traced, random);
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
};
