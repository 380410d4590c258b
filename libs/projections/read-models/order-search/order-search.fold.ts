import type { LogEvent } from '../../engine/log-event';

interface Naming {
  readonly acceptedAt?: unknown;
  readonly receiptId?: unknown;
  readonly transactionId?: unknown;
  readonly receipt?: { readonly transactionId?: unknown; readonly rrn?: unknown };
  readonly cardRefId?: unknown;
  readonly card?: CardNames | null;
  readonly source?: CardNames;
  readonly destination?: CardNames;
}

interface CardNames {
  readonly cardRefId?: unknown;
  readonly uid?: unknown;
}

const tellIf = (value: unknown, tell: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') tell(value);
};

/**
 * Tells the identifiers by which people ask for an order, as far as its event brings one: the serial-number of a request that made or changed it,
 * the receipt id, the gate's transaction id and reference number, and what its cards are called: the reference that was charged or that a card was
 * mapped to, else the card's own id (who asks for a card asks for its references too). By their members and not by the events' types: a new kind of event that has a
 * receipt is found by it without a word here. What a stream or another read model is named by (order id, client_orderid, delivery) is not kept a
 * second time. Every event comes through here, so nothing is made for one that brings none.
 */
export const tellIdentifiers = (news: Pick<LogEvent, 'event' | 'metadata'>, tell: (identifier: string) => void): void => {
  const { acceptedAt, receiptId, transactionId, receipt, cardRefId, card, source, destination } = news.event.data as Naming;
  if (acceptedAt !== undefined) {
    tell(news.metadata.correlation);
    tellIf(cardRefId ?? card?.uid, tell);
  }
  if (source !== undefined) tellIf(source.cardRefId, tell);
  if (destination !== undefined) tellIf(destination.cardRefId ?? destination.uid, tell);
  if (receiptId !== undefined) tellIf(receiptId, tell);
  if (transactionId !== undefined) tellIf(transactionId, tell);
  if (receipt === undefined) return;
  tellIf(receipt.transactionId, tell);
  tellIf(receipt.rrn, tell);
};
