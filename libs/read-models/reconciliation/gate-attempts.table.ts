import { foldedProjection } from '../engine/folded-table';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import { foldGateAttempts } from './gate-attempts.fold';
import { gateMinutes } from './gate-minutes';

export const GATE_ATTEMPTS = 'gate-attempts';

export const gateAttempts = foldedProjection(GATE_ATTEMPTS, {
  categories: ORDER_STATUS_CATEGORIES,
  shape: 2,
  fold: foldGateAttempts,
  isFinished: ({ asked }) => asked.length > 0 && asked.every(({ status }) => status !== 'open' && status !== 'accepted'),
  columns: {
    accepted_at: { type: 'bigint', isFixed: true, of: ({ acceptedAt }) => acceptedAt },
    touched_at: { type: 'bigint', of: (_view, recordedAt) => recordedAt },
  },
  indexes: { touched: { on: ['touched_at', 'stream'] } },
  counters: gateMinutes,
});
