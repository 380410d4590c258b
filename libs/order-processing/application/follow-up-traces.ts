import type { AnyEvent, EventId } from '@app/event-store';
import { isFollowUpEvent } from '../domain';

/** What the next event of a follow-up goes back to. */
export interface Trace {
  /** The serial of the request that asked for it. */
  readonly correlation: string;
  /** Its newest event. */
  readonly causation: string;
}

/** By the number of the follow-up. */
export type Traces = ReadonlyMap<number, Trace>;

/** @param correlation of the event itself */
export const traced = (traces: Traces, event: AnyEvent | undefined, id: EventId, correlation: string): Traces =>
  event !== undefined && isFollowUpEvent(event) ? new Map([...traces, [event.data.number, { correlation, causation: id }]]) : traces;
