import { sql } from 'kysely';
import type { CompanionShape } from '../engine/companion-table';
import { OPERATION_WORDS, type OrderStatusView } from '../order-status/order-status.view';

type Shown = Pick<OrderStatusView, 'operation' | 'status' | 'stage'>;

/** Most orders end approved or declined without later changes. All others have separate, small indexes. */
export const isUsual = ({ operation, status, stage }: Shown): boolean =>
  (status === 'approved' || status === 'declined') && stage === `${OPERATION_WORDS[operation].stage}_${status}`;

const IS_UNUSUAL = sql<boolean>`is_usual = 0`;

/** In the same generation as the orders' rows, so that the two never differ. Rows are stored newest first. */
export const orderListCompanion: CompanionShape<OrderStatusView> = {
  tableOf: (name) => `${name}_list`,
  key: { name: 'newest', columns: ['created_at', 'stream'] },
  columns: {
    created_at: { type: 'bigint', of: ({ acceptedAt }) => acceptedAt },
    // A cursor compares it.
    stream: { type: 'text', isByteOrdered: true, of: (_view, _recordedAt, stream) => stream },
    updated_at: { type: 'bigint', of: (_view, recordedAt) => recordedAt },
    merchant: { type: 'text', isFixed: true, of: ({ merchant }) => merchant },
    endpoint_id: { type: 'text', isFixed: true, of: ({ endpointId }) => endpointId },
    kind: { type: 'text', isFixed: true, of: ({ kind }) => kind },
    operation: { type: 'text', isFixed: true, of: ({ operation }) => operation },
    status: { type: 'text', of: ({ status }) => status },
    stage: { type: 'text', of: ({ stage }) => stage },
    currency: { type: 'text', isFixed: true, of: ({ currency }) => currency },
    amount_minor: { type: 'bigint', of: ({ amountMinor }) => Number(amountMinor) },
    gate: { type: 'text', isNullable: true, of: ({ gate }) => gate?.alias ?? null },
    code: { type: 'bigint', isNullable: true, of: ({ code }) => code },
    is_usual: { type: 'bigint', of: (view) => (isUsual(view) ? 1 : 0) },
  },
  indexes: {
    merchant: { on: ['merchant', 'created_at', 'stream'] },
    endpoint_id: { on: ['endpoint_id', 'created_at', 'stream'] },
    code: { on: ['code', 'created_at', 'stream'], where: sql<boolean>`code is not null` },
    status: { on: ['status', 'created_at', 'stream'], where: IS_UNUSUAL },
    stage: { on: ['stage', 'created_at', 'stream'], where: IS_UNUSUAL },
  },
};
