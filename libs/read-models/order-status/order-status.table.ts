import { sql } from 'kysely';
import { foldedProjection } from '../engine/folded-table';
import { orderListCompanion } from '../order-list/order-list.table';
import { disputeColumns } from './order-disputes';
import { foldOrderStatus } from './order-status.fold';
import { unknownMinor, unknownSince } from './order-status.view';

export const ORDER_STATUS = 'order-status';
export const ORDER_STATUS_CATEGORIES = ['payment', 'recurring', 'deviceVerification', 'transfer'] as const;

export const IS_DISPUTED = sql<boolean>`dispute is not null`;
export const IS_UNKNOWN = sql<boolean>`unknown_since is not null`;

/** The read model behind order status (interface, section 2.5). */
export const orderStatuses = foldedProjection(ORDER_STATUS, {
  categories: ORDER_STATUS_CATEGORIES,
  shape: 12,
  fold: foldOrderStatus,
  isFinished: ({ finalEventId }) => finalEventId !== null,
  columns: {
    merchant: { type: 'text', isFixed: true, of: ({ merchant }) => merchant },
    kind: { type: 'text', isFixed: true, of: ({ kind }) => kind },
    client_order_id: { type: 'text', isFixed: true, of: ({ clientOrderId }) => clientOrderId },
    order_id: { type: 'text', isFixed: true, of: ({ orderId }) => orderId },
    status: { type: 'text', of: ({ status }) => status },
    created_at: { type: 'bigint', isFixed: true, of: ({ acceptedAt }) => acceptedAt },
    updated_at: { type: 'bigint', of: (_view, recordedAt) => recordedAt },
    final_at: { type: 'bigint', isNullable: true, of: ({ finalAt }) => finalAt },
    // Operators see orders with one.
    unknown_since: { type: 'bigint', isNullable: true, of: unknownSince },
    unknown_minor: { type: 'bigint', of: (view) => Number(unknownMinor(view)) },
    currency: { type: 'text', isFixed: true, of: ({ currency }) => currency },
    dispute: { type: 'text', isNullable: true, of: (view) => disputeColumns(view).state },
    dispute_at: { type: 'bigint', isNullable: true, of: (view) => disputeColumns(view).at },
  },
  indexes: { order: { on: ['order_id', 'merchant'], isUnique: true } },
  // The one by merchant skips all other merchants. Both have what the overview adds up.
  earlyIndexes: {
    unknown: { on: ['unknown_since', 'stream', 'currency', 'unknown_minor'], where: IS_UNKNOWN },
    unknown_of: { on: ['merchant', 'unknown_since', 'stream', 'currency', 'unknown_minor'], where: IS_UNKNOWN },
    disputes: { on: ['dispute', 'dispute_at', 'stream'], where: IS_DISPUTED },
    disputes_of: { on: ['merchant', 'dispute', 'dispute_at', 'stream'], where: IS_DISPUTED },
  },
  companion: orderListCompanion,
});
