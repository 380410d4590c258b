import { formatAmount } from '@app/kernel';
import type { OrderStatusView } from '../order-status/order-status.view';

/** An account verification moves no money. */
export const hasAmount = ({ operation }: Pick<OrderStatusView, 'operation'>): boolean => operation !== 'account-verification';

type Amount = { readonly amount: string | undefined; readonly currency: string | undefined };

/** The order's amount in status and callback; an account verification has none (protocol decisions, section 2). */
export const orderAmount = (view: Pick<OrderStatusView, 'operation' | 'amountMinor' | 'currency'>): Amount =>
  hasAmount(view)
    ? { amount: formatAmount(BigInt(view.amountMinor)), currency: view.currency }
    : { amount: undefined, currency: undefined };
