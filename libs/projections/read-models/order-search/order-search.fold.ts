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

const collectIf = (value: unknown, collect: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/**
 * Collects the identifiers of an event by which people search for an order: the serial-number of a request that created or changed it, the receipt id, the
 * gate's transaction id and reference number, and of its cards the reference that was charged or mapped, else the card's own id (a search for a card includes
 * its references). It looks at members instead of event types, so that a new event type with a receipt is found without a change here. Identifiers that
 * already name a stream or another read model (order id, client_orderid, delivery) are left out. Every event passes here, so an event without identifiers
 * allocates nothing.
 */
export const collectIdentifiers = (logEvent: Pick<LogEvent, 'event' | 'metadata'>, collect: (identifier: string) => void): void => {
  const { acceptedAt, receiptId, transactionId, receipt, cardRefId, card, source, destination } = logEvent.event.data as Naming;
  if (acceptedAt !== undefined) {
    collect(logEvent.metadata.correlation);
    collectIf(cardRefId ?? card?.uid, collect);
  }
  if (source !== undefined) collectIf(source.cardRefId, collect);
  if (destination !== undefined) collectIf(destination.cardRefId ?? destination.uid, collect);
  if (receiptId !== undefined) collectIf(receiptId, collect);
  if (transactionId !== undefined) collectIf(transactionId, collect);
  if (receipt === undefined) return;
  collectIf(receipt.transactionId, collect);
  collectIf(receipt.rrn, collect);
};
