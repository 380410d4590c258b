import type { ClientOrderId, Deadline, MerchantLogin, OrderId } from '@app/kernel';
import type { OrderFact } from '../domain';

/** Folds the order's own stream, because an answer may not come from a read model that lags behind (architecture, rule 10). */
export interface OrderFacts {
  /** Undefined where the merchant has no such order, and alike for another merchant's. */
  orderOf(merchant: MerchantLogin, clientOrderId: ClientOrderId, orderId: OrderId, deadline?: Deadline): Promise<OrderFact | undefined>;
}
