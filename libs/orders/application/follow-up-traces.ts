import type { AnyEvent, EventId, Traced } from '@app/event-store';
import { isEventOf } from '../domain';

export interface Trace extends Traced {
  readonly causation: string;
}

export type Traces = ReadonlyMap<number, Trace>;

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
