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

/** By what a gate may charge a registered card without its number. */
export type RebillMeans = 'token' | 'network-transaction';

/** A registered card as a gate knows it: no number is sent, and none is opened for it. */
export type CardAtGate =
  /** The gate's own token, which no other gate takes. */
  | { readonly kind: 'token'; readonly token: string }
  /** The scheme's id of the payment that proved the card. */
  | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

/** A charge of a registered card, for which no payer is at hand. */
export interface RebillRequest extends Omit<ChargeRequest, 'card' | 'payerReturnUrl'> {
  readonly transactionType: 'sale' | 'preauth';
  /** Of one of the gate's `means`. */
  readonly by: CardAtGate;
}

/** Asks for the token of a card that this gate approved an order of. */
export interface RegisterRequest extends Omit<SentRequest, 'amount'> {
  /** The gate's own name of the approved order, where it gave one. */
  readonly gateOrderId?: string;
  /** What may be known of the card, so that a token of another card is not believed. */
  readonly card: { readonly bin: string; readonly lastFour: string };
}

/** `refused` is for good; `other-card` where the gate's token is not of this card. After `unknown` and `not-asked` the gate is asked again. */
export type RegisterAnswer =
  | { readonly kind: 'registered'; readonly cardToken: string }
  | { readonly kind: 'refused'; readonly cause: 'refused-by-gate' | 'other-card' }
  | NotAsked
  | Unknown;

/**
 * What the merchant said of the payer, for the checks of acquirers and of 3-D Secure (protocol decisions, section 10); what it did not say is absent.
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

/** What the merchant said of the purchase, in its own words. */
export interface Purchase {
  readonly description?: string;
  readonly purpose?: string;
  readonly comment?: string;
  readonly siteUrl?: string;
}

/** What the app said of its device, for gates that have a device interface of their own (interface, section 2.6). */
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

/** Personal data of an order; empty where its key was erased. Handed over as the card is: opened for one call, and written nowhere. */
export interface OrderTexts {
  readonly payer: Secret<Payer>;
  readonly purchase: Secret<Purchase>;
  /** Present for an order of the device interface. */
  readonly device?: Secret<PayerDevice>;
}

/** Overrides of the gate's own setting, handed through (interface, section 2.4). */
interface RecurrentMarks {
  readonly scenario?: 'REGULAR' | 'IRREGULAR';
  readonly initiator?: 'CARDHOLDER' | 'MERCHANT';
}

/** One request as the gate was sent it, and as the log can name it later. */
export interface SentRequest {
  /** The gate's idempotency key; sent once. */
  readonly key: AttemptKey;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  /** Absent for an account verification. */
  readonly amount?: Money;
  /** The gate's own name of the order, once it gave one: whatever is asked later names it. */
  readonly gateOrderId?: string;
  /** What the gate gave for questions about this request, see `CallLimit.taken`; absent where it gave nothing, or its key was erased. */
  readonly session?: Secret<string>;
  /** True for an order of the device interface that came with a CVV. Without one it cannot have been sent by such an interface of the gate. */
  readonly isByDevice?: boolean;
}

/** One attempt to take money. */
export interface ChargeRequest extends SentRequest {
  readonly amount: Money;
  readonly clientOrderId: ClientOrderId;
  readonly card: Secret<Card>;
  readonly cvv?: Secret<string>;
  /** Present for a gate whose profile asks for them, and for no other. */
  readonly texts?: OrderTexts;
  /** The recipient that the payer's statement should name: the entry point's, else the gate's. */
  readonly descriptor: string;
  /** Where the payer's browser comes back; absent where no payer is there to be asked (a recurrent payment). */
  readonly payerReturnUrl?: string;
  /**
   * Where the gate tells what became of this request; present where the gate listens. Nobody can guess it. Segments below it and a query may be added: the
   * adapter hears them with the request.
   */
  readonly notificationUrl?: string;
  readonly recurrent?: RecurrentMarks;
}

/** Account verification: it checks a card and takes no money, so that it has no amount. */
export interface VerifyRequest extends Omit<ChargeRequest, 'amount' | 'recurrent'> {
  /** The currency in which a gate withdraws its random sum; the gate's first currency where it is absent. */
  readonly currency?: Currency;
}

/** Moves the amount from `card` to `destination`; otherwise as a charge. The gate takes its commission from the payer besides. */
export interface TransferRequest extends ChargeRequest {
  readonly destination: Secret<DestinationCard>;
}

/** Asks what commission a gate would hold for a transfer that is not made yet; it names the leading digits of the cards alone. */
export interface QuoteRequest {
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly amount: Money;
  readonly sourceBin: string;
  readonly destinationBin: string;
}

/** A capture, return or void of an approved transaction of the same gate; `key` is its own idempotency key and is sent once. */
export interface FollowUpRequest extends SentRequest {
  readonly amount: Money;
  /** The approved attempt that it follows. */
  readonly original: AttemptKey;
  /** The gate's own name of what was approved, where it gave one. */
  readonly gateOrderId?: string;
  /** As in `ChargeRequest`; the same where the follow-up is sent again. */
  readonly notificationUrl?: string;
}

/** A follow-up as an inquiry names it. */
export interface SentFollowUp extends FollowUpRequest {
  readonly operation: 'capture' | 'return' | 'void';
}

/** The consumer's choice of one of the gate's fees, with what the gate's answer brought for it. */
export interface ChosenFee {
  readonly option: string;
  readonly session: Secret<string>;
}
