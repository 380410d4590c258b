import type { Currency, EndpointId, Instant, MerchantLogin, Money, Sealed } from '@app/kernel';
import type { ClientCardId, MerchantServerOperation, InvoiceId, KeyedDigest } from '../terms';

/** What a device is to do: a verification names its currency alone, the other two an amount. */
export type InvoiceOrder =
  | { readonly operation: 'verification'; readonly currency: Currency }
  | { readonly operation: Exclude<MerchantServerOperation, 'verification'>; readonly amount: Money };

/** A device began an operation, and got what it must show to the gateway. */
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
    /** The same, for the answers that carry it. */
    readonly sealedNonce: Sealed;
    readonly consumer: KeyedDigest;
    readonly email?: Sealed;
    readonly openedAt: Instant;
  };
};

/** A card named by reference: what the app calls it, and what the gateway does. */
export type NamedCard = { readonly clientCardId: ClientCardId; readonly serverCardId: string };

/** What the gateway's first good check was answered with; every repeat of it is answered the same. */
export type CheckFacts = {
  readonly session: KeyedDigest;
  readonly source?: NamedCard;
  readonly destination?: NamedCard;
  readonly email?: Sealed;
  /** What the cardholder read on the statement, in minor units; absent in what version 1 held in clear, as in the wallet. */
  readonly randomSum?: Sealed;
};

/** The gateway checked the invoice: the operation belongs to that session token, for ever. */
export type CheckAnswered = { readonly type: 'CheckAnswered'; readonly data: CheckFacts & { readonly answeredAt: Instant } };

/** A card of the finished operation as the app may show and use it again. */
export type InvoiceCard = NamedCard & { readonly uniqueReferenceCardId: string; readonly bin: number };

/** The gateway told which cards took part; each has a name for the app now. */
export type CardsMapped = {
  readonly type: 'CardsMapped';
  readonly data: { readonly source?: InvoiceCard; readonly destination?: InvoiceCard; readonly mappedAt: Instant };
};

export type InvoiceEvent = InvoiceOpened | CheckAnswered | CardsMapped;
