import type { CardRefId, ClientOrderId, EndpointId, OrderId, OrderKind, Sealed } from '@app/kernel';
import type { ReceivingCard } from './accepted-order';

/**
 * The references of an order's cards as the merchant server was notified of them; a card that was given by its reference keeps it (protocol
 * decisions, section 8).
 */
export interface MappedReferences {
  readonly source: CardRefId;
  /** Present for a transfer. */
  readonly destination?: CardRefId;
}

/** What one context may know of another's order, read from the order's own stream. */
export interface OrderFact {
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** Always present for an approved order. */
  readonly card?: ReceivingCard;
  readonly customer: Sealed;
  /** Present for an approved order of the device interface. */
  readonly mapped?: MappedReferences;
  readonly end:
    | { readonly kind: 'open' }
    | { readonly kind: 'approved' }
    | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number };
}
