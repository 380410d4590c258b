import type { DisputeEvent } from '@app/order-processing/events';
import type { LogEvent } from '../../engine/log-event';

interface Naming {
  readonly acceptedAt?: unknown;
  readonly receiptId?: unknown;
  readonly transactionId?: unknown;
  readonly reportId?: unknown;
  readonly receipt?: { readonly transactionId?: unknown; readonly rrn?: unknown; readonly gateOrderId?: unknown };
  readonly startedAt?: unknown;
  readonly attemptKey?: unknown;
  readonly cardRefId?: unknown;
  readonly card?: CardNames | null;
  readonly source?: CardNames;
  readonly destination?: CardNames;
}

/** The words by which all orders with a report of a kind are found. */
export const REPORT_WORDS: Readonly<Record<DisputeEvent['type'], string>> = {
  ReversalReported: 'reversal',
  ChargebackReceived: 'chargeback',
  RepresentmentReported: 'representment',
  FraudWarningReceived: 'fraud-warning',
  ReportSetAside: 'set-aside',
};

interface CardNames {
  readonly cardRefId?: unknown;
  readonly uid?: unknown;
}

const collectIf = (value: unknown, collect: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/**
 * Collects the identifiers of an event by which people search for an order: the serial-number of a request that created or changed it, the receipt id, the
 * gate's transaction id, its reference number and its own name of the order, the key of each request to a gate, the gate's ids of what it reported later and the kinds of that, and of its cards the reference that was charged or mapped, else the card's own id (a search for a card includes
 * its references). It looks at members instead of event types, so that a new event type with a receipt is found without a change here. Identifiers that
 * already name a stream or another read model (order id, client_orderid, delivery) are left out. Every event passes here, so an event without identifiers
 * allocates nothing.
 */
export const collectIdentifiers = (logEvent: Pick<LogEvent, 'event' | 'metadata'>, collect: (identifier: string) => void): void => {
  const { acceptedAt, startedAt, attemptKey, receiptId, transactionId, reportId, receipt, cardRefId, card, source, destination } = logEvent
    .event.data as Naming;
  if (acceptedAt !== undefined) {
    collect(logEvent.metadata.correlation);
    collectIf(cardRefId ?? card?.uid, collect);
  }
  if (startedAt !== undefined) collectIf(attemptKey, collect);
  if (source !== undefined) collectIf(source.cardRefId, collect);
  if (destination !== undefined) collectIf(destination.cardRefId ?? destination.uid, collect);
  if (receiptId !== undefined) collectIf(receiptId, collect);
  if (transactionId !== undefined) collectIf(transactionId, collect);
  if (reportId !== undefined) {
    collectIf(reportId, collect);
    collectIf(REPORT_WORDS[logEvent.event.type as DisputeEvent['type']], collect);
  }
  if (receipt === undefined) return;
  collectIf(receipt.transactionId, collect);
  collectIf(receipt.rrn, collect);
  collectIf(receipt.gateOrderId, collect);
};
