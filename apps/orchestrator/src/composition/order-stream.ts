import { unreachable, type ClientOrderId, type MerchantLogin, type OrderKind } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { paymentStream } from '@app/payment';
import { recurringStream } from '@app/recurring';

/** The kinds of order whose streams can be named today. */
export const ORDER_KINDS_SERVED: readonly OrderKind[] = ['payment', 'recurring'];

/** Every stream can be named from what a request carries (architecture, rule 10); undefined for a kind that this release does not serve. */
export const namedStream = (kind: OrderKind, merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName | undefined => {
  switch (kind) {
    case 'payment':
      return paymentStream(merchant, clientOrderId);
    case 'recurring':
      return recurringStream(merchant, clientOrderId);
    case 'deviceVerification':
    case 'transfer':
      return undefined;
    default:
      return unreachable(kind);
  }
};

export const streamOfOrder = (order: {
  readonly kind: OrderKind;
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
}): StreamName => {
  const stream = namedStream(order.kind, order.merchant, order.clientOrderId);
  if (stream === undefined) throw new Error(`orders of kind ${order.kind} have no stream in this release`);
  return stream;
};
