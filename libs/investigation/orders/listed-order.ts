import { formatAmount } from '@app/kernel';
import type { ListedRecord } from '@app/read-models';
import type { AuditRow } from './audit-format';
import { auditInstant, auditInstantOrNull } from './audit-instant';

/** Members of a listed order in CSV order; version 1 (docs/audit.md). Contains no sealed text, and only those card data that may be shown (safety, section 5.1). */
const MEMBERS = {
  orderId: ({ view }) => view.orderId,
  merchant: ({ view }) => view.merchant,
  clientOrderId: ({ view }) => view.clientOrderId,
  kind: ({ view }) => view.kind,
  operation: ({ view }) => view.operation,
  endpoint: ({ view }) => view.endpointId,
  status: ({ view }) => view.status,
  stage: ({ view }) => view.stage,
  type: ({ view }) => view.transactionType,
  amount: ({ view }) => formatAmount(BigInt(view.amountMinor)),
  initialAmount: ({ view }) => formatAmount(BigInt(view.initialAmountMinor)),
  currency: ({ view }) => view.currency,
  gate: ({ view }) => view.gate?.alias ?? null,
  attempts: ({ view }) => view.attempts,
  code: ({ view }) => view.code,
  bin: ({ view }) => view.card?.face.bin ?? null,
  lastFour: ({ view }) => view.card?.face.lastFour ?? null,
  brand: ({ view }) => view.card?.face.brand ?? null,
  card: ({ view }) => view.card?.uid ?? null,
  cardReference: ({ view }) => view.mapped?.source ?? view.cardRefId,
  transactionId: ({ view }) => view.receipt?.transactionId ?? null,
  rrn: ({ view }) => view.receipt?.rrn ?? null,
  approvalCode: ({ view }) => view.approvalCode,
  receipt: ({ view }) => view.receiptId,
  correlation: ({ view }) => view.requests[0]?.serial ?? null,
  createdAt: ({ view }) => auditInstant(view.acceptedAt),
  updatedAt: ({ updatedAt }) => auditInstant(updatedAt),
  finalAt: ({ view }) => auditInstantOrNull(view.finalAt),
} satisfies Readonly<Record<string, (listed: ListedRecord) => AuditRow[string]>>;

export type ListedOrder = { readonly [Member in keyof typeof MEMBERS]: ReturnType<(typeof MEMBERS)[Member]> };

export const LISTED_ORDER_COLUMNS = Object.keys(MEMBERS) as readonly (keyof typeof MEMBERS)[];

export const listedOrder = (listed: ListedRecord): ListedOrder =>
  Object.fromEntries(LISTED_ORDER_COLUMNS.map((name) => [name, MEMBERS[name](listed)])) as ListedOrder;
