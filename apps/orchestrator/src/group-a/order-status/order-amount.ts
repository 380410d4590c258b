import { formatAmount } from '@app/kernel';
import type { OrderStatusView } from '@app/projections';

type Amount = { readonly amount?: string; readonly currency?: string };

/** What is told of an order's amount, in status and callback; an account verification has none (protocol decisions, section 2). */
export const orderAmount = ({
  transactionType,
  amountMinor,
  currency,
}: Pick<OrderStatusView, 'transactionType' | 'amountMinor' | 'currency'>): Amount =>
  transactionType === 'account_verification' ? {} : { amount: formatAmount(BigInt(amountMinor)), currency };
