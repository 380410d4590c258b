import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const DEVICE_VERIFICATION_CATEGORY = 'deviceVerification';

/** One stream for each invoice: its name is the idempotency key (architecture, rule 1). */
export const deviceVerificationStream = (merchant: MerchantLogin, invoiceId: ClientOrderId): StreamName =>
  streamName(DEVICE_VERIFICATION_CATEGORY, merchant, invoiceId);
