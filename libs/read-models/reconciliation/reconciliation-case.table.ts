import { sql } from 'kysely';
import { foldedProjection } from '../engine/folded-table';
import { foldReconciliationCase } from './reconciliation-case.fold';

export const IS_OPEN = sql<boolean>`is_open = 1`;

export const reconciliationCases = foldedProjection('reconciliation-cases', {
  categories: ['reconciliation'],
  shape: 3,
  fold: foldReconciliationCase,
  isFinished: ({ status }) => status !== 'open',
  columns: {
    gate: { type: 'text', isFixed: true, of: ({ gate }) => gate },
    kind: { type: 'text', isFixed: true, of: ({ kind }) => kind },
    merchant: { type: 'text', isNullable: true, of: ({ order }) => order?.merchant ?? null },
    order_id: { type: 'text', isNullable: true, of: ({ order }) => order?.orderId ?? null },
    // Not fixed: a case may be opened again.
    opened_at: { type: 'bigint', of: ({ openedAt }) => openedAt },
    is_open: { type: 'bigint', of: ({ status }) => (status === 'open' ? 1 : 0) },
  },
  // Each begins with the filters that have few values, so that a page of any filter reads only its own rows.
  indexes: {
    listed: { on: ['is_open', 'kind', 'opened_at', 'stream'] },
    of_gate: { on: ['gate', 'is_open', 'kind', 'opened_at', 'stream'] },
    of_merchant: { on: ['merchant', 'is_open', 'kind', 'opened_at', 'stream'] },
    of_order: { on: ['order_id', 'is_open', 'kind', 'opened_at', 'stream'] },
  },
  // Each metrics scrape counts open cases.
  earlyIndexes: { open: { on: ['gate', 'kind', 'opened_at', 'stream'], where: IS_OPEN } },
});
