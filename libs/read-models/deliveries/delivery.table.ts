import { foldedProjection } from '../engine/folded-table';
import { foldDelivery } from './delivery.fold';

/**
 * Callbacks of all orders. Each index begins with the filters that have few values, so that a page or a count of any filter reads only its
 * own rows.
 */
export const deliveries = foldedProjection('deliveries', {
  categories: ['delivery'],
  shape: 1,
  fold: foldDelivery,
  isFinished: ({ status }) => status !== 'waiting',
  columns: {
    merchant: { type: 'text', isFixed: true, of: ({ merchant }) => merchant },
    target: { type: 'text', isFixed: true, of: ({ target }) => target },
    status: { type: 'text', of: ({ status }) => status },
    since: { type: 'bigint', isFixed: true, of: ({ since }) => since },
  },
  indexes: {
    status: { on: ['status', 'target', 'since', 'stream'] },
    merchant: { on: ['merchant', 'status', 'target', 'since', 'stream'] },
  },
});
