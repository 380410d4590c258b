import { activity } from './activity/activity.table';
import { approvals } from './approvals/approval.table';
import { cardReferences } from './card-reference/card-reference.table';
import { deliveries } from './deliveries/delivery.table';
import type { Projection } from './engine/projection';
import { mentions } from './order-list/mentions.table';
import { orderSearch } from './order-list/order-search.table';
import { orderStatuses } from './order-status/order-status.table';
import { gateAttempts } from './reconciliation/gate-attempts.table';
import { reconciliationCases } from './reconciliation/reconciliation-case.table';

/** Without the reactors' work tables, which the settings name. */
export const READ_MODELS: readonly Projection[] = [
  orderStatuses,
  cardReferences,
  orderSearch,
  reconciliationCases,
  mentions,
  deliveries,
  activity,
  approvals,
  // The last one, because all partitions add to its counters and hold their rows until the transaction ends.
  gateAttempts,
];
