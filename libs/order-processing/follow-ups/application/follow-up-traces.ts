import type { AnyEvent, EventId, Traced } from '@app/event-store';
import { isFollowUpEvent } from '../../domain';

/** The request that asked for a follow-up, as the trace of its next event. */
export interface Trace extends Traced {
  /** The id of its newest event. */
  readonly causation: string;
}

/** Keyed by the number of the follow-up. */
export type Traces = ReadonlyMap<number, Trace>;

/** @param asked the trace of the event itself */
export const traced = (traces: Traces, event: AnyEvent | undefined, id: EventId, { correlation, callerTrace }: Traced): Traces =>
  event !== undefined && isFollowUpEvent(event)
    ? new Map([...traces, [event.data.number, { correlation, callerTrace, causation: id }]])
    : traces;
