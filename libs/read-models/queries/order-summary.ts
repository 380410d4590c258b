import { formatAmount, type Instant } from '@app/kernel';
import { type FollowUpView, type OrderStatusView, type ReportView, unknownSince } from '../order-status/order-status.view';

/** A follow-up of an approved order; if its status is `unknown`, its number is needed to resolve it. */
export interface FollowUpSummary {
  /** Names the follow-up in a resolution; counts from 1 within the order. */
  readonly number: number;
  readonly operation: FollowUpView['operation'];
  readonly status: FollowUpView['status'];
  readonly amount: string;
  readonly transactionId: string | null;
  readonly code: number | null;
  readonly acceptedAt: string;
  readonly finalAt: string | null;
}

/** A gate's report after the order has ended. */
export interface ReportSummary {
  readonly kind: ReportView['kind'];
  readonly gate: string;
  /** The gate's case id. */
  readonly case: string;
  readonly source: ReportView['source'];
  readonly stage: ReportView['stage'];
  readonly outcome: ReportView['outcome'];
  readonly amount: string | null;
  readonly currency: string | null;
  readonly reasonCode: string | null;
  readonly happenedAt: string | null;
  /** Midnight in UTC of the last day to contest a chargeback, if the report has one. */
  readonly respondBy?: string;
  readonly receivedAt: string;
  /** Set if the report does not fit the order and changed nothing. */
  readonly misfit: ReportView['misfit'];
  /** In total, more was returned than was charged. */
  readonly isAboveTaken: boolean;
}

export interface CardSummary {
  readonly bin: string;
  readonly lastFour: string;
  readonly brand: string;
  readonly uid: string;
}

/** An order for an operator, without sealed data; of the card it shows only the permitted digits (safety, section 5.1). */
export interface OrderSummary {
  readonly orderId: string;
  readonly merchant: string;
  readonly clientOrderId: string;
  readonly kind: string;
  readonly endpointId: string;
  readonly status: string;
  readonly stage: string;
  readonly transactionType: string;
  readonly amount: string;
  readonly initialAmount: string;
  readonly currency: string;
  readonly gate: string | null;
  readonly attempts: number;
  readonly transactionId: string | null;
  readonly rrn: string | null;
  readonly approvalCode: string | null;
  readonly receiptId: string | null;
  readonly code: number | null;
  /** The reference by which its card can be, or was, charged again. */
  readonly cardRefId: string | null;
  /** Null until the merchant server resolves the card reference. */
  readonly card: CardSummary | null;
  /** Null until known, and except for a transfer. */
  readonly destination: CardSummary | null;
  /** The commission: accepted by the consumer, then charged by the gate. */
  readonly commission: string | null;
  /** The serial-numbers of the requests that created or changed it. */
  readonly serials: readonly string[];
  readonly acceptedAt: string;
  readonly finalAt: string | null;
  /** Set while an outcome is unknown, the order's own or a follow-up's: since when, of the oldest. */
  readonly unknownSince?: string;
  /** Sorted by number. */
  readonly followUps: readonly FollowUpSummary[];
  /** Oldest first. */
  readonly reports: readonly ReportSummary[];
}

const instant = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());

const followUpSummary = (followUp: OrderStatusView['followUps'][number]): FollowUpSummary => ({
  number: followUp.number,
  operation: followUp.operation,
  status: followUp.status,
  amount: formatAmount(BigInt(followUp.amountMinor)),
  transactionId: followUp.receipt?.transactionId ?? null,
  code: followUp.code,
  acceptedAt: new Date(followUp.acceptedAt).toISOString(),
  finalAt: instant(followUp.finalAt),
});

const reportSummary = (report: ReportView): ReportSummary => ({
  kind: report.kind,
  gate: report.gate,
  case: report.reportId,
  source: report.source,
  stage: report.stage,
  outcome: report.outcome,
  amount: report.amountMinor === null ? null : formatAmount(BigInt(report.amountMinor)),
  currency: report.currency,
  reasonCode: report.reasonCode,
  happenedAt: instant(report.happenedAt),
  receivedAt: new Date(report.receivedAt).toISOString(),
  ...(report.respondBy !== undefined && { respondBy: new Date(report.respondBy).toISOString() }),
  misfit: report.misfit,
  isAboveTaken: report.isAboveTaken,
});

const cardSummary = (card: OrderStatusView['card'] | OrderStatusView['destination']): CardSummary | null =>
  card && { bin: card.face.bin, lastFour: card.face.lastFour, brand: card.face.brand, uid: card.uid };

const unknownText = (view: OrderStatusView): Pick<OrderSummary, 'unknownSince'> => {
  const since = instant(unknownSince(view));
  return since === null ? {} : { unknownSince: since };
};

export const orderSummary = (view: OrderStatusView): OrderSummary => ({
  orderId: view.orderId,
  merchant: view.merchant,
  clientOrderId: view.clientOrderId,
  kind: view.kind,
  endpointId: view.endpointId,
  status: view.status,
  stage: view.stage,
  transactionType: view.transactionType,
  amount: formatAmount(BigInt(view.amountMinor)),
  initialAmount: formatAmount(BigInt(view.initialAmountMinor)),
  currency: view.currency,
  gate: view.gate?.alias ?? null,
  attempts: view.attempts,
  transactionId: view.receipt?.transactionId ?? null,
  rrn: view.receipt?.rrn ?? null,
  approvalCode: view.approvalCode,
  receiptId: view.receiptId,
  code: view.code,
  cardRefId: view.mapped?.source ?? view.cardRefId,
  card: cardSummary(view.card),
  destination: cardSummary(view.destination),
  commission: view.commissionMinor === null ? null : formatAmount(BigInt(view.commissionMinor)),
  serials: view.requests.map(({ serial }) => serial),
  acceptedAt: new Date(view.acceptedAt).toISOString(),
  finalAt: instant(view.finalAt),
  ...unknownText(view),
  followUps: view.followUps.map(followUpSummary),
  reports: (view.reports ?? []).map(reportSummary),
});

/** Removes everything that names a card or its owner. */
export const withoutPersonalData = (summary: OrderSummary): OrderSummary => ({
  ...summary,
  cardRefId: null,
  card: null,
  destination: null,
});
