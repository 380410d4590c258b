import type { DatedEvent } from './dated-events';

/** What an event came from: another event of the order, or what stands at the beginning. */
export type Cause =
  | { readonly kind: 'event'; readonly event: DatedEvent }
  /** A request, by its serial-number. */
  | { readonly kind: 'request'; readonly serial: string }
  /** An event of another stream, or an operator's action. */
  | { readonly kind: 'elsewhere'; readonly id: string };

/**
 * Follows the causation of an event back to the request, or to what is not of this order; the nearest cause first. It ends, for no event is caused by
 * one that stands after it.
 */
export const causesOf = (event: DatedEvent, history: readonly DatedEvent[]): readonly Cause[] => {
  const byId = new Map<string, DatedEvent>(history.map((one) => [one.logEvent.id, one]));
  const causes: Cause[] = [];
  let current = event;
  for (;;) {
    const { causation, correlation } = current.logEvent.metadata;
    const before = byId.get(causation);
    if (before === undefined) return [...causes, originOf(causation, correlation)];
    if (before.logEvent.revision >= current.logEvent.revision) return [...causes, { kind: 'elsewhere', id: causation }];
    causes.push({ kind: 'event', event: before });
    current = before;
  }
};

const originOf = (causation: string, correlation: string): Cause =>
  causation === correlation ? { kind: 'request', serial: causation } : { kind: 'elsewhere', id: causation };
