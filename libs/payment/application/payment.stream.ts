import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const PAYMENT_CATEGORY = 'payment';

/** One stream for each order: its name is the idempotency key (architecture, rule 1). */
export const paymentStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(PAYMENT_CATEGORY, merchant, clientOrderId);
