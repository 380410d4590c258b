import type { EventId, EventMetadata, Position, Revision, StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { LogEvent, OrderEvent } from '@app/read-models';

/** One append: events that were recorded at once. */
export interface Append {
  readonly at: Instant;
  readonly events: readonly OrderEvent[];
  readonly actor?: string;
}

export const SERIAL = 'serial-1';
const STREAM = 'payment-x' as StreamName;

/** A log with these appends. As in the service, each append is caused by the newest event before it. */
export const recorded = (appends: readonly Append[]): readonly LogEvent<OrderEvent>[] => {
  const log: LogEvent<OrderEvent>[] = [];
  for (const { at, events, actor = 'orchestrator' } of appends) {
    const causation = log.at(-1)?.id ?? SERIAL;
    for (const event of events) {
      const revision = log.length;
      const metadata = { correlation: SERIAL, causation, actor, merchant: 'acme', recordedAt: at } as EventMetadata;
      log.push({
        stream: STREAM,
        category: 'payment',
        id: `event-${revision}` as EventId,
        revision: BigInt(revision) as Revision,
        position: String(revision) as Position,
        event,
        metadata,
      });
    }
  }
  return log;
};
