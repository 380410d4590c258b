import type { CardRefId, ClientOrderId, EndpointId, OrderId, OrderKind, Sealed } from '@app/kernel';
import type { ReceivingCard } from './accepted-order';

/** What the merchant server was told that an order's cards are called: a card that was given by its reference keeps it (protocol decisions, section 8). */
export interface MappedReferences {
  readonly source: CardRefId;
  /** Of a transfer. */
  readonly destination?: CardRefId;
}

/** What one context may know of another's order, read from the order's own stream. */
export interface OrderFact {
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** Of an approved order always. */
  readonly card?: ReceivingCard;
  readonly customer: Sealed;
  /** Of an approved order of the device interface. */
  readonly mapped?: MappedReferences;
  readonly end:
    | { readonly kind: 'open' }
    | { readonly kind: 'approved' }
    | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number };
}
