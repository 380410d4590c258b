import type { CardRefId, ClientOrderId, EndpointId, Instant, MerchantLogin, OrderId, OrderKind, Sealed } from '@app/kernel';
import type { CardUse } from '@app/card-registration/events';
import type { ReceivingCard } from '@app/orders/events';

/** A card reference with merchant, permitted use and masked card (interface, sections 2.2 and 2.3; protocol decisions, section 4). */
export interface CardReferenceView {
  readonly merchant: MerchantLogin;
  readonly cardRefId: CardRefId;
  /** A destination reference is never charged. */
  readonly use: CardUse;
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  readonly card: ReceivingCard;
  /** Sealed under the key of the order that registered the card. */
  readonly customer: Sealed;
  readonly issuedAt: Instant;
}
