import type { ClientOrderId, EndpointId, OrderId, OrderKind, Sealed } from '@app/kernel';
import type { ReceivingCard } from './accepted-order';

/** What one context may know of another's order, read from the order's own stream. */
export interface OrderFact {
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** Of an approved order always. */
  readonly card?: ReceivingCard;
  readonly customer: Sealed;
  readonly end:
    | { readonly kind: 'open' }
    | { readonly kind: 'approved' }
    | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number };
}
