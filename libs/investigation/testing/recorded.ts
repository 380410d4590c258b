import type { EventId, EventMetadata, Position, Revision, StreamName } from '@app/event-store';
import { addMs, type Instant } from '@app/kernel';
import type { LogEvent, OrderEvent } from '@app/read-models';
import { orderLife, paymentAccepted, START } from '@app/read-models/testing';

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

export const STEP_MS = 1_000;
const MOVES_WITH_OUTCOME = new Set(['OrderApproved', 'OrderDeclined', 'OrderFiltered', 'NextAttemptChosen', 'OrderFailed']);

/**
 * An order's life with gates whose clocks differ from ours.
 * @param choices the events, as in `orderLife`
 * @param clocks the difference of the gate's clock in ms, for each event in turn
 */
export const anyAppends = (choices: readonly number[], clocks: readonly number[]): readonly Append[] => {
  const appends: { at: Instant; events: OrderEvent[] }[] = [];
  for (const [index, event] of orderLife(paymentAccepted(1, ['sim-a', 'sim-b']), choices).entries()) {
    const at = addMs(START, index * STEP_MS);
    const gateAt = addMs(at, clocks[index % clocks.length] ?? 0);
    const data = {
      ...event.data,
      ...('receipt' in event.data && event.data.receipt && { receipt: { ...event.data.receipt, processedAt: gateAt } }),
      ...('reportId' in event.data && { happenedAt: gateAt }),
    };
    const dated = { ...event, data } as OrderEvent;
    const before = appends.at(-1);
    if (before !== undefined && MOVES_WITH_OUTCOME.has(event.type)) before.events.push(dated);
    else appends.push({ at, events: [dated] });
  }
  return appends;
};
