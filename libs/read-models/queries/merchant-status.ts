import type { Merchant } from '@app/configuration';
import type { OrderStatusView } from '../order-status/order-status.view';

/**
 * A status as the merchant and the payer see it: shop modules fail a paid order if they read `unknown`, which the interface does not list (protocol
 * decisions, section 12).
 * @param merchant undefined if the configuration no longer has the merchant
 */
export const merchantStatus = (status: OrderStatusView['status'], merchant: Pick<Merchant, 'unknownStatus'> | undefined): string =>
  status === 'unknown' ? (merchant?.unknownStatus ?? 'processing') : status;
