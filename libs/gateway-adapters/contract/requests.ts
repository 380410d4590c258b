import type {
  AttemptKey,
  Card,
  ClientOrderId,
  Currency,
  DestinationCard,
  EndpointId,
  MerchantLogin,
  Money,
  OrderId,
  Secret,
} from '@app/kernel';
import type { NotAsked, Unknown } from './answers';

export type RebillMeans = 'token' | 'network-transaction';

/** A registered card as the gate identifies it: no number is opened or sent. */
export type CardAtGate =
  /** The gate's token; no other gate accepts it. */
  | { readonly kind: 'token'; readonly token: string }
  /** The scheme's id of the payment that proved the card. */
  | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

export interface RebillRequest extends Omit<ChargeRequest, 'card' | 'payerReturnUrl'> {
  readonly transactionType: 'sale' | 'preauth';
  readonly by: CardAtGate;
}

export interface RegisterRequest extends Omit<SentRequest, 'amount'> {
  readonly gateOrderId?: string;
  /** Compared with the gate's answer, so that a token of another card is rejected. */
  readonly card: { readonly bin: string; readonly lastFour: string };
}

/**
 * `refused` is final; `other-card`: the gate's token belongs to another card. After `unknown` or `not-asked` the gate
 * is asked again.
 */
export type RegisterAnswer =
  | { readonly kind: 'registered'; readonly cardToken: string }
  | { readonly kind: 'refused'; readonly cause: 'refused-by-gate' | 'other-card' }
  | NotAsked
  | Unknown;

/**
 * The payer's data from the merchant, for the checks of acquirers and of 3-D Secure (protocol decisions, section 10).
 */
export interface Payer {
  readonly holder?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly cellPhone?: string;
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
  readonly zipCode?: string;
  readonly address1?: string;
  readonly ssn?: string;
  /** YYYYMMDD. */
  readonly birthday?: string;
  readonly ipAddress?: string;
}

export interface Purchase {
  readonly description?: string;
  readonly purpose?: string;
  readonly comment?: string;
  readonly siteUrl?: string;
}

/** Device data from the app, for gates that have a device interface (interface, section 2.6). */
export interface PayerDevice {
  readonly serialNumber: string;
  readonly imei?: string;
  readonly ipAddresses?: readonly string[];
  /** Degrees. */
  readonly latitude?: string;
  readonly longitude?: string;
  /** The second line of the billing address, which only the device interface has. */
  readonly street2?: string;
}

/**
 * Personal data of an order; empty if its key was erased. Opened for one call only, like the card, and never written.
 */
export interface OrderTexts {
  readonly payer: Secret<Payer>;
  readonly purchase: Secret<Purchase>;
  readonly device?: Secret<PayerDevice>;
}

/** Overrides of the gate's setting, passed through (interface, section 2.4). */
interface RecurrentMarks {
  readonly scenario?: 'REGULAR' | 'IRREGULAR';
  readonly initiator?: 'CARDHOLDER' | 'MERCHANT';
}

export interface SentRequest {
  /** The gate's idempotency key; sent once. */
  readonly key: AttemptKey;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly amount?: Money;
  /** The gate's name of the order; later requests must use it. */
  readonly gateOrderId?: string;
  /** From `CallLimit.taken`. Absent if the gate returned none or the key was erased. */
  readonly session?: Secret<string>;
  /**
   * True for an order of the device interface with a CVV. Without a CVV, the gate's device interface cannot have been
   * used.
   */
  readonly isByDevice?: boolean;
}

export interface ChargeRequest extends SentRequest {
  readonly amount: Money;
  readonly clientOrderId: ClientOrderId;
  readonly card: Secret<Card>;
  readonly cvv?: Secret<string>;
  readonly texts?: OrderTexts;
  /** The recipient for the payer's statement: the entry point's, else the gate's. */
  readonly descriptor: string;
  /** Absent if no payer is present (a recurrent payment). */
  readonly payerReturnUrl?: string;
  /**
   * Unguessable address for the gate's notifications; present if the gate listens. An adapter may append segments and a
   * query.
   */
  readonly notificationUrl?: string;
  readonly recurrent?: RecurrentMarks;
}

export interface VerifyRequest extends Omit<ChargeRequest, 'amount' | 'recurrent'> {
  /** The currency of the gate's random sum; by default the gate's first currency. */
  readonly currency?: Currency;
}

/** Moves the amount from `card` to `destination`. The gate charges its commission on top. */
export interface TransferRequest extends ChargeRequest {
  readonly destination: Secret<DestinationCard>;
}

/** Asks for the commission of a planned transfer. Contains only the leading digits of the cards. */
export interface QuoteRequest {
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly amount: Money;
  readonly sourceBin: string;
  readonly destinationBin: string;
}

export interface FollowUpRequest extends SentRequest {
  readonly amount: Money;
  readonly original: AttemptKey;
  readonly gateOrderId?: string;
  /** As in `ChargeRequest`; unchanged if the follow-up is sent again. */
  readonly notificationUrl?: string;
}

export interface SentFollowUp extends FollowUpRequest {
  readonly operation: 'capture' | 'return' | 'void';
}

export interface ChosenFee {
  readonly option: string;
  readonly session: Secret<string>;
}
