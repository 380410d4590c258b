import type { OrderDetails } from '../domain/accepted-order';

/** The fields of a message that become an order's details; each operation has some of them. */
interface DetailFields {
  readonly order_desc: string;
  readonly ipaddress: string;
  readonly comment?: string | undefined;
  readonly merchant_data?: string | undefined;
  readonly purpose?: string | undefined;
  readonly site_url?: string | undefined;
  readonly redirect_url?: string | undefined;
  readonly redirect_success_url?: string | undefined;
  readonly redirect_fail_url?: string | undefined;
  readonly server_callback_url?: string | undefined;
  readonly notify_url?: string | undefined;
}

/** Copies field by field, so that a field not listed here is never stored (safety, T24). */
export const orderDetailsOf = (message: DetailFields): OrderDetails => ({
  description: message.order_desc,
  ipAddress: message.ipaddress,
  ...(message.comment !== undefined && { comment: message.comment }),
  ...(message.merchant_data !== undefined && { merchantData: message.merchant_data }),
  ...(message.purpose !== undefined && { purpose: message.purpose }),
  ...(message.site_url !== undefined && { siteUrl: message.site_url }),
  ...(message.redirect_url !== undefined && { redirectUrl: message.redirect_url }),
  ...(message.redirect_success_url !== undefined && { redirectSuccessUrl: message.redirect_success_url }),
  ...(message.redirect_fail_url !== undefined && { redirectFailUrl: message.redirect_fail_url }),
  ...(message.server_callback_url !== undefined && { callbackUrl: message.server_callback_url }),
  ...(message.notify_url !== undefined && { notifyUrl: message.notify_url }),
});
