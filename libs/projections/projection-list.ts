import { cardReferenceProjection } from './read-models/card-reference/card-reference.table';
import { gateAttemptsProjection } from './read-models/gate-attempts/gate-attempts.table';
import { mentionsProjection } from './read-models/mentions/mentions.table';
import { reconciliationCasesProjection } from './read-models/reconciliation-cases/reconciliation-case.table';
import { orderSearchProjection } from './read-models/order-search/order-search.table';
import { orderStatusProjection } from './read-models/order-status/order-status.table';
import type { Projection } from './engine/projection';

/** Every projection but the reactors' memories, which the settings name. */
export const READ_MODELS: readonly Projection[] = [
  orderStatusProjection,
  cardReferenceProjection,
  orderSearchProjection,
  gateAttemptsProjection,
  reconciliationCasesProjection,
  mentionsProjection,
];
