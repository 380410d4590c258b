import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const RECURRING_CATEGORY = 'recurring';

/** One stream for each order: its name is the idempotency key (architecture, rule 1). */
export const recurringStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(RECURRING_CATEGORY, merchant, clientOrderId);
