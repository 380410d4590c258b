import { CARD_REFERENCE_CATEGORY, gateTokenWork, type GateTokenListener } from '@app/card-registration';
import { DELIVERY_CATEGORY, deliveryWork, type DeliveryListener } from '@app/callbacks';
import { DEVICE_VERIFICATION_CATEGORY } from '@app/device-verification';
import {
  ERASURE_CATEGORY,
  erasureWork,
  hasRules,
  retentionShape,
  retentionWork,
  type ErasureListener,
  type RetentionRules,
} from '@app/investigation/erasure';
import { orderWork, type OrderWorkEvent } from '@app/orders';
import { PAYMENT_CATEGORY } from '@app/payment';
import { RECURRING_CATEGORY } from '@app/recurring';
import { TRANSFER_CATEGORY } from '@app/transfer';
import type { LogEvent } from '../engine/log-event';
import type { OpenWorkDefinition } from '../work/open-work.table';

const ORDER_CATEGORIES = [PAYMENT_CATEGORY, RECURRING_CATEGORY, DEVICE_VERIFICATION_CATEGORY, TRANSFER_CATEGORY];
export const ORDER_WORK = 'orders';
export const DELIVERY_WORK = 'deliveries';
export const GATE_TOKEN_WORK = 'tokens';
export const ERASURE_WORK = 'erasures';

export const openWorkDefinitions: readonly OpenWorkDefinition[] = [
  {
    name: ORDER_WORK,
    categories: ORDER_CATEGORIES,
    shape: 2,
    fold: (news: LogEvent) => orderWork(news as LogEvent<OrderWorkEvent['event']>),
  },
  {
    name: DELIVERY_WORK,
    categories: [...ORDER_CATEGORIES, DELIVERY_CATEGORY],
    shape: 1,
    fold: (news: LogEvent) => deliveryWork(news as LogEvent<DeliveryListener['event']>),
  },
  {
    name: GATE_TOKEN_WORK,
    categories: [CARD_REFERENCE_CATEGORY],
    shape: 1,
    fold: (news: LogEvent) => gateTokenWork(news as LogEvent<GateTokenListener['event']>),
  },
  {
    name: ERASURE_WORK,
    categories: [ERASURE_CATEGORY],
    shape: 1,
    fold: (news: LogEvent) => erasureWork(news as LogEvent<ErasureListener['event']>),
  },
];

export const RETENTION_WORK = 'retention';

/** Erasure by age is included only if a rule exists. */
export const openWorkUnder = (rules: RetentionRules): readonly OpenWorkDefinition[] =>
  hasRules(rules)
    ? [
        ...openWorkDefinitions,
        {
          name: RETENTION_WORK,
          categories: ORDER_CATEGORIES,
          shape: retentionShape(rules),
          fold: retentionWork(rules),
        },
      ]
    : openWorkDefinitions;
