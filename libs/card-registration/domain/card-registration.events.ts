import type {
  AttemptKey,
  CardRefId,
  ClientOrderId,
  EndpointId,
  GateAlias,
  Instant,
  MerchantLogin,
  OrderId,
  OrderKind,
  Sealed,
} from '@app/kernel';
import type { ReceivingCard } from '@app/orders/domain';

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

/** The intent to ask the gate that approved the order for its own token of the card; durable before it is asked. */
export type GateTokenWanted = {
  readonly type: 'GateTokenWanted';
  readonly data: {
    readonly gate: GateAlias;
    /** The approved attempt. */
    readonly attemptKey: AttemptKey;
    readonly gateOrderId?: string;
    readonly wantedAt: Instant;
  };
};

/** From here on the gate can charge the card by its own token: a reference, not a card number. */
export type GateTokenKept = {
  readonly type: 'GateTokenKept';
  readonly data: { readonly gate: GateAlias; readonly token: string; readonly keptAt: Instant };
};

export const TOKEN_REFUSALS = ['refused-by-gate', 'other-card', 'given-up'] as const;
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

/** The gate gives no token of the card, gave that of another card, or said nothing for so long that it is not asked any more. */
export type GateTokenRefused = {
  readonly type: 'GateTokenRefused';
  readonly data: { readonly gate: GateAlias; readonly cause: TokenRefusal; readonly refusedAt: Instant };
};

/** The scheme's id of the payment that proved the card, by which any gate that takes it may charge the card. */
export type NetworkTransactionKept = {
  readonly type: 'NetworkTransactionKept';
  readonly data: { readonly gate: GateAlias; readonly networkTransactionId: string; readonly keptAt: Instant };
};

/** The card is to be shredded: nothing charges it from here on, by the card itself or by what gates know it by. Recorded before it is shredded. */
type CardShredded = {
  readonly type: 'CardShredded';
  readonly data: { readonly shreddedAt: Instant };
};

export type GateTokenEvent = GateTokenWanted | GateTokenKept | GateTokenRefused | NetworkTransactionKept;
export type CardRegistrationEvent = CardReferenceIssued | GateTokenEvent | CardShredded;
