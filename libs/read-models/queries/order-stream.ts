import { ORDER_KINDS, unreachable, type ClientOrderId, type MerchantLogin, type OrderKind } from '@app/kernel';
import { deviceVerificationStream } from '@app/device-verification';
import type { StreamName } from '@app/event-store';
import { paymentStream } from '@app/payment';
import { recurringStream } from '@app/recurring';
import { transferStream } from '@app/transfer';

/** Every order stream can be named from a request's members (architecture, rule 10). */
export const namedStream = (kind: OrderKind, merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName => {
  switch (kind) {
    case 'payment':
      return paymentStream(merchant, clientOrderId);
    case 'recurring':
      return recurringStream(merchant, clientOrderId);
    case 'deviceVerification':
      return deviceVerificationStream(merchant, clientOrderId);
    case 'transfer':
      return transferStream(merchant, clientOrderId);
    default:
      return unreachable(kind);
  }
};

/** Any of these streams may exist. */
export const streamsOfEachKind = (merchant: MerchantLogin, clientOrderId: ClientOrderId): readonly StreamName[] =>
  Object.values(ORDER_KINDS).map((kind) => namedStream(kind, merchant, clientOrderId));

export const streamOfOrder = (order: {
  readonly kind: OrderKind;
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
}): StreamName => namedStream(order.kind, order.merchant, order.clientOrderId);
