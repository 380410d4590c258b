import type { ClientOrderId, Deadline, MerchantLogin, OrderId } from '@app/kernel';
import type { OrderFact } from '../../domain';

/** Folds the order's own stream: who asks gets the truth, not a read model's past (architecture, rule 10). */
export interface OrderFacts {
  /** Undefined where the merchant has no such order: a foreign one looks the same. */
  orderOf(merchant: MerchantLogin, clientOrderId: ClientOrderId, orderId: OrderId, deadline?: Deadline): Promise<OrderFact | undefined>;
}
