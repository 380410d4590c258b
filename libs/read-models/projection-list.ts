import { cardReferenceProjection } from './card-reference/card-reference.table';
import { gateAttemptsProjection } from './reconciliation/gate-attempts.table';
import { mentionsProjection } from './order-list/mentions.table';
import { reconciliationCasesProjection } from './reconciliation/reconciliation-case.table';
import { orderSearchProjection } from './order-list/order-search.table';
import { orderStatusProjection } from './order-status/order-status.table';
import type { Projection } from './engine/projection';

/** Without the reactors' work tables, which the settings name. */
export const READ_MODELS: readonly Projection[] = [
  orderStatusProjection,
  cardReferenceProjection,
  orderSearchProjection,
  gateAttemptsProjection,
  reconciliationCasesProjection,
  mentionsProjection,
];
