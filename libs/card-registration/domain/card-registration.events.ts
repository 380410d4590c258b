import type { CardRefId, ClientOrderId, EndpointId, Instant, MerchantLogin, OrderId, OrderKind, Sealed } from '@app/kernel';
import type { ReceivingCard } from '@app/order-processing/domain';

export const CARD_USES = ['source', 'destination'] as const;
/** A destination reference names the card for transfers only and is never charged. */
export type CardUse = (typeof CARD_USES)[number];

/** A card that was proved by an approved order has a reference, which the merchant keeps instead of the card. */
export type CardReferenceIssued = {
  readonly type: 'CardReferenceIssued';
  readonly data: {
    readonly cardRefId: CardRefId;
    readonly use: CardUse;
    readonly merchant: MerchantLogin;
    readonly orderKind: OrderKind;
    readonly orderId: OrderId;
    readonly clientOrderId: ClientOrderId;
    readonly endpointId: EndpointId;
    /** A source card can always be charged. */
    readonly card: ReceivingCard;
    /** The order's customer, as sealed there. */
    readonly customer: Sealed;
    readonly issuedAt: Instant;
  };
};

export type CardRegistrationEvent = CardReferenceIssued;
