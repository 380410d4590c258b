import type { LogEvent } from '../log-event';

interface Naming {
  readonly acceptedAt?: unknown;
  readonly receiptId?: unknown;
  readonly transactionId?: unknown;
  readonly receipt?: { readonly transactionId?: unknown; readonly rrn?: unknown };
}

const isIdentifier = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * The identifiers by which people ask for an order, as far as its event brings one: the serial-number of a request that made or changed it, the
 * receipt id, the gate's transaction id and reference number. By their members and not by the events' types: a new kind of event that has a receipt
 * is found by it without a word here. What a stream or another read model is named by (order id, client_orderid, card reference, delivery) is not
 * kept a second time.
 */
export const identifiersOf = ({ event, metadata }: Pick<LogEvent, 'event' | 'metadata'>): readonly string[] => {
  const { acceptedAt, receiptId, transactionId, receipt } = event.data as Naming;
  const named = [receiptId, transactionId, receipt?.transactionId, receipt?.rrn].filter(isIdentifier);
  return acceptedAt === undefined ? named : [metadata.correlation, ...named];
};
