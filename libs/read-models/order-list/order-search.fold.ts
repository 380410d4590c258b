import type { DisputeEvent } from '@app/orders/events';
import type { LogEvent } from '../engine/log-event';

interface Naming {
  readonly acceptedAt?: unknown;
  readonly receiptId?: unknown;
  readonly transactionId?: unknown;
  readonly reportId?: unknown;
  readonly receipt?: { readonly transactionId?: unknown; readonly rrn?: unknown; readonly gateOrderId?: unknown };
  readonly startedAt?: unknown;
  readonly attemptKey?: unknown;
  readonly approvalCode?: unknown;
  readonly emailDigest?: unknown;
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
  readonly face?: CardDigits;
  readonly card?: { readonly face?: CardDigits };
}

interface CardDigits {
  readonly bin?: unknown;
  readonly lastFour?: unknown;
}

/**
 * Identifiers that others could be taken for carry their kind: an approval code has as many digits as a reference number may, and an actor is a name.
 */
export const KINDED_IDENTIFIERS = {
  approvalCode: (code: string) => `approval:${code}`,
  /** By the digits of a card that may be shown. */
  mask: (bin: string, lastFour: string) => `mask:${bin}-${lastFour}`,
  /** By the keyed digest of an e-mail address. */
  email: (digest: string) => `email:${digest}`,
  actor: (actor: string) => `actor:${actor}`,
} as const;

/** Merchants act on all of their orders, and the service on every one: of actors, an operator alone tells orders apart. */
const OPERATOR = 'operator:';

const collectMask = (names: CardNames | null | undefined, collect: (identifier: string) => void): void => {
  const face = names?.face ?? names?.card?.face;
  if (typeof face?.bin === 'string' && typeof face.lastFour === 'string') collect(KINDED_IDENTIFIERS.mask(face.bin, face.lastFour));
};

const collectIf = (value: unknown, collect: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/**
 * Collects the identifiers of an event by which people search for an order: the serial-number of a request that created or changed it, the digits of its
 * cards that may be shown, the digest of the payer's e-mail address, the approval code, the operator who acted on it, the receipt id, the gate's transaction id, its reference number and its own name of the order, the key of each request to a gate, the gate's ids of what it reported later and the kinds of that, and of its cards the reference that was charged or mapped, else the card's own id (a search for a card includes
 * its references). It looks at members instead of event types, so that a new event type with a receipt is found without a change here. Identifiers that
 * already name a stream or another read model (order id, client_orderid, delivery) are left out. Every event passes here, so an event without identifiers
 * allocates nothing.
 */
export const collectIdentifiers = (logEvent: Pick<LogEvent, 'event' | 'metadata'>, collect: (identifier: string) => void): void => {
  const data = logEvent.event.data as Naming;
  const { acceptedAt, startedAt, attemptKey, receiptId, transactionId, reportId, receipt, cardRefId, card, source, destination } = data;
  const { actor, correlation } = logEvent.metadata;
  if (acceptedAt !== undefined) {
    collect(correlation);
    collectIf(cardRefId ?? card?.uid, collect);
    collectMask(card, collect);
    if (typeof data.emailDigest === 'string') collect(KINDED_IDENTIFIERS.email(data.emailDigest));
  }
  if (typeof data.approvalCode === 'string' && data.approvalCode !== '') collect(KINDED_IDENTIFIERS.approvalCode(data.approvalCode));
  if (actor.startsWith(OPERATOR)) collect(KINDED_IDENTIFIERS.actor(actor));
  if (startedAt !== undefined) collectIf(attemptKey, collect);
  if (source !== undefined) {
    collectIf(source.cardRefId, collect);
    collectMask(source, collect);
  }
  if (destination !== undefined) {
    collectIf(destination.cardRefId ?? destination.uid, collect);
    collectMask(destination, collect);
  }
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
