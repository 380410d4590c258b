import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const TRANSFER_CATEGORY = 'transfer';

/** One stream for each invoice: its name is the idempotency key (architecture, rule 1). */
export const transferStream = (merchant: MerchantLogin, invoiceId: ClientOrderId): StreamName =>
  streamName(TRANSFER_CATEGORY, merchant, invoiceId);
