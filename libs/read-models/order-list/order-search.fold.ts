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

/** Prefixes keep apart identifiers that look alike, such as approval codes and reference numbers. */
export const KINDED_IDENTIFIERS = {
  approvalCode: (code: string) => `approval:${code}`,
  mask: (bin: string, lastFour: string) => `mask:${bin}-${lastFour}`,
  lastFour: (lastFour: string) => `last-four:${lastFour}`,
  email: (digest: string) => `email:${digest}`,
  actor: (actor: string) => `actor:${actor}`,
} as const;

/** Only operators are indexed as actors: merchants and the service act on too many orders. */
const OPERATOR = 'operator:';

const collectDigits = (names: CardNames | null | undefined, collect: (identifier: string) => void): void => {
  const face = names?.face ?? names?.card?.face;
  if (typeof face?.lastFour !== 'string') return;
  collect(KINDED_IDENTIFIERS.lastFour(face.lastFour));
  if (typeof face.bin === 'string') collect(KINDED_IDENTIFIERS.mask(face.bin, face.lastFour));
};

const collectIf = (value: unknown, collect: (identifier: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/**
 * Collects an event's search identifiers. Reads members instead of event types, so that new event types are covered. Leaves out identifiers
 * that name a stream or another read model. Runs for every event, so it allocates nothing for an event without identifiers.
 */
export const collectIdentifiers = (logEvent: Pick<LogEvent, 'event' | 'metadata'>, collect: (identifier: string) => void): void => {
  const data = logEvent.event.data as Naming;
  const { acceptedAt, startedAt, attemptKey, receiptId, transactionId, reportId, receipt, cardRefId, card, source, destination } = data;
  const { actor, correlation } = logEvent.metadata;
  if (acceptedAt !== undefined) {
    collect(correlation);
    collectIf(cardRefId ?? card?.uid, collect);
    collectDigits(card, collect);
    if (typeof data.emailDigest === 'string') collect(KINDED_IDENTIFIERS.email(data.emailDigest));
  }
  if (typeof data.approvalCode === 'string' && data.approvalCode !== '') collect(KINDED_IDENTIFIERS.approvalCode(data.approvalCode));
  if (actor.startsWith(OPERATOR)) collect(KINDED_IDENTIFIERS.actor(actor));
  if (startedAt !== undefined) collectIf(attemptKey, collect);
  if (source !== undefined) {
    collectIf(source.cardRefId, collect);
    collectDigits(source, collect);
  }
  if (destination !== undefined) {
    collectIf(destination.cardRefId ?? destination.uid, collect);
    collectDigits(destination, collect);
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
