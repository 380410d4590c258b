import type { AnyEvent, EventId, Traced } from '@app/event-store';
import { isEventOf } from '../domain';

/** The request that asked for a follow-up, as the trace of its next event. */
export interface Trace extends Traced {
  /** The id of its newest event. */
  readonly causation: string;
}

/** Keyed by the number of the follow-up. */
export type Traces = ReadonlyMap<number, Trace>;

/**
 * Puts the trace of a follow-up's event in its place.
 * @param asked the trace of the event itself
 */
export const trace = (
  traces: Map<number, Trace>,
  {
    event,
    id,
    asked: { correlation, callerTrace },
  }: { readonly event: AnyEvent | undefined; readonly id: EventId; readonly asked: Traced },
): void => {
  if (event !== undefined && isEventOf(event, 'follow-up')) traces.set(event.data.number, { correlation, callerTrace, causation: id });
};
