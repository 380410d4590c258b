import type { Currency, EndpointId, Instant, MerchantLogin, Money, Sealed } from '@app/kernel';
import type { ClientCardId, MerchantServerOperation, InvoiceId, KeyedDigest } from './terms';

/** The operation of an invoice: a verification has a currency alone, the other two an amount. */
export type InvoiceOrder =
  | { readonly operation: 'verification'; readonly currency: Currency }
  | { readonly operation: Exclude<MerchantServerOperation, 'verification'>; readonly amount: Money };

/** A device began an operation, and received the values that it must present to the gateway. */
export type InvoiceOpened = {
  readonly type: 'InvoiceOpened';
  readonly data: {
    readonly merchant: MerchantLogin;
    readonly invoiceId: InvoiceId;
    readonly order: InvoiceOrder;
    readonly endpointId: EndpointId;
    readonly accessToken: KeyedDigest;
    readonly serialNumber: KeyedDigest;
    readonly nonce: KeyedDigest;
    /** The same values sealed, for the answers that contain them. */
    readonly sealedNonce: Sealed;
    readonly consumer: KeyedDigest;
    readonly email?: Sealed;
    readonly openedAt: Instant;
  };
};

/** A card named by reference: the app's id of it, and the gateway's. */
export type NamedCard = { readonly clientCardId: ClientCardId; readonly serverCardId: string };

/** The answer to the gateway's first valid check; every repeat gets the same. */
export type CheckFacts = {
  readonly session: KeyedDigest;
  readonly source?: NamedCard;
  readonly destination?: NamedCard;
  readonly email?: Sealed;
  /** The sum that the cardholder read on the statement, in minor units; absent in events of version 1, which held it in clear. */
  readonly randomSum?: Sealed;
};

/** The gateway checked the invoice: the operation belongs to that session token, for ever. */
export type CheckAnswered = { readonly type: 'CheckAnswered'; readonly data: CheckFacts & { readonly answeredAt: Instant } };

/** A card of the finished operation as the app may show and use it again. */
export type InvoiceCard = NamedCard & { readonly uniqueReferenceCardId: string; readonly bin: number };

/** The gateway notified the cards of the operation; each has an id for the app now. */
export type CardsMapped = {
  readonly type: 'CardsMapped';
  readonly data: { readonly source?: InvoiceCard; readonly destination?: InvoiceCard; readonly mappedAt: Instant };
};

export type InvoiceEvent = InvoiceOpened | CheckAnswered | CardsMapped;
