import { formatAmount } from '@app/kernel';
import type { ListedRecord } from '@app/read-models';
import type { AuditRow } from './audit-format';
import { auditInstant, auditInstantOrNull } from './audit-instant';

/** The columns of a listed order, in the order of the CSV; version 1 (docs/audit.md). */
export const LISTED_ORDER_COLUMNS = [
  'orderId',
  'merchant',
  'clientOrderId',
  'kind',
  'operation',
  'endpoint',
  'status',
  'stage',
  'type',
  'amount',
  'initialAmount',
  'currency',
  'gate',
  'attempts',
  'code',
  'bin',
  'lastFour',
  'brand',
  'card',
  'cardReference',
  'transactionId',
  'rrn',
  'approvalCode',
  'receipt',
  'correlation',
  'createdAt',
  'updatedAt',
  'finalAt',
] as const;
type ListedOrderColumn = (typeof LISTED_ORDER_COLUMNS)[number];
export type ListedOrder = ReturnType<typeof listedOrder>;

/** An order in a list: nothing that is sealed, and of its card only what may be shown (safety, section 5.1). */
export const listedOrder = ({ view, updatedAt }: ListedRecord) =>
  ({
    orderId: view.orderId,
    merchant: view.merchant,
    clientOrderId: view.clientOrderId,
    kind: view.kind,
    operation: view.operation,
    endpoint: view.endpointId,
    status: view.status,
    stage: view.stage,
    type: view.transactionType,
    amount: formatAmount(BigInt(view.amountMinor)),
    initialAmount: formatAmount(BigInt(view.initialAmountMinor)),
    currency: view.currency,
    gate: view.gate?.alias ?? null,
    attempts: view.attempts,
    code: view.code,
    bin: view.card?.face.bin ?? null,
    lastFour: view.card?.face.lastFour ?? null,
    brand: view.card?.face.brand ?? null,
    card: view.card?.uid ?? null,
    cardReference: view.mapped?.source ?? view.cardRefId,
    transactionId: view.receipt?.transactionId ?? null,
    rrn: view.receipt?.rrn ?? null,
    approvalCode: view.approvalCode,
    receipt: view.receiptId,
    correlation: view.requests[0]?.serial ?? null,
    createdAt: auditInstant(view.acceptedAt),
    updatedAt: auditInstant(updatedAt),
    finalAt: auditInstantOrNull(view.finalAt),
  }) satisfies AuditRow & Readonly<Record<ListedOrderColumn, unknown>>;
