import type { AnyEvent, EventId, Traced } from '@app/event-store';
import { isFollowUpEvent } from '../../domain';

/** What the next event of a follow-up goes back to: the request that asked for it. */
export interface Trace extends Traced {
  /** Its newest event. */
  readonly causation: string;
}

/** By the number of the follow-up. */
export type Traces = ReadonlyMap<number, Trace>;

/** @param asked of the event itself */
export const traced = (traces: Traces, event: AnyEvent | undefined, id: EventId, { correlation, callerTrace }: Traced): Traces =>
  event !== undefined && isFollowUpEvent(event)
    ? new Map([...traces, [event.data.number, { correlation, callerTrace, causation: id }]])
    : traces;
