import { sql } from 'kysely';
import { foldedProjection } from '../engine/folded-table';
import { foldApproval } from './approval.fold';

export const IS_ALONE = sql<boolean>`is_alone = 1`;

/** Proposals of actions. Each index begins with the filters that have few values. */
export const approvals = foldedProjection('approvals', {
  categories: ['approval'],
  shape: 2,
  fold: foldApproval,
  isFinished: ({ status }) => status !== 'waiting' && status !== 'approved',
  columns: {
    // Empty if the action concerns no merchant.
    merchant: { type: 'text', isFixed: true, of: ({ merchant }) => merchant ?? '' },
    proposer: { type: 'text', isFixed: true, of: ({ proposer }) => proposer },
    status: { type: 'text', of: ({ status }) => status },
    since: { type: 'bigint', isFixed: true, of: ({ proposedAt }) => proposedAt },
    is_alone: { type: 'bigint', of: ({ isAlone }) => (isAlone ? 1 : 0) },
  },
  indexes: {
    status: { on: ['status', 'since', 'stream'] },
    merchant: { on: ['merchant', 'status', 'since', 'stream'] },
    proposer: { on: ['proposer', 'status', 'since', 'stream'] },
    alone: { on: ['since', 'stream'], where: IS_ALONE },
    alone_of: { on: ['merchant', 'since', 'stream'], where: IS_ALONE },
  },
});
