import type { LogEvent } from '../log-event';

interface Naming {
  readonly acceptedAt?: unknown;
  readonly receiptId?: unknown;
  readonly transactionId?: unknown;
  readonly receipt?: { readonly transactionId?: unknown; readonly rrn?: unknown };
}

const tellIf = (value: unknown, tell: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') tell(value);
};

/**
 * Tells the identifiers by which people ask for an order, as far as its event brings one: the serial-number of a request that made or changed it,
 * the receipt id, the gate's transaction id and reference number. By their members and not by the events' types: a new kind of event that has a
 * receipt is found by it without a word here. What a stream or another read model is named by (order id, client_orderid, card reference, delivery)
 * is not kept a second time. Every event comes through here, so nothing is made for one that brings none.
 */
export const tellIdentifiers = (news: Pick<LogEvent, 'event' | 'metadata'>, tell: (identifier: string) => void): void => {
  const { acceptedAt, receiptId, transactionId, receipt } = news.event.data as Naming;
  if (acceptedAt !== undefined) tell(news.metadata.correlation);
  if (receiptId !== undefined) tellIf(receiptId, tell);
  if (transactionId !== undefined) tellIf(transactionId, tell);
  if (receipt === undefined) return;
  tellIf(receipt.transactionId, tell);
  tellIf(receipt.rrn, tell);
};
