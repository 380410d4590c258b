import type {
  AttemptKey,
  Card,
  ClientOrderId,
  Currency,
  DestinationCard,
  EndpointId,
  GateAlias,
  Instant,
  MerchantLogin,
  Money,
  OrderId,
  Secret,
} from '@app/kernel';

/** What a gate is and what bounds it; read from the configuration, fixed in the order's plan where it decides something. */
export interface GateProfile {
  readonly alias: GateAlias;
  readonly currencies: readonly Currency[];
  /** A charge without CVV is not sent to this gate. */
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  /** After this long a `not-found` is believed: what was sent has arrived, or never will (architecture, rule 4). */
  readonly longestFlightMs: number;
  /** The recipient on the payer's statement. */
  readonly descriptor: string;
}

/** One attempt to take money; `key` is the gate's idempotency key and is sent once. */
export interface ChargeRequest {
  readonly key: AttemptKey;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly clientOrderId: ClientOrderId;
  readonly amount: Money;
  readonly card: Secret<Card>;
  readonly cvv?: Secret<string>;
  /** Where the payer's browser comes back; absent where no payer is there to be asked (a recurrent payment). */
  readonly payerReturnUrl?: string;
  readonly recurrent?: RecurrentMarks;
}

/** One look at a card that takes no money (account verification); `amount` of a `ChargeRequest` means nothing here and is absent. */
export interface VerifyRequest extends Omit<ChargeRequest, 'amount' | 'recurrent'> {
  /** Of the random sum, where the gate withdraws one; the gate's first where it is absent. */
  readonly currency?: Currency;
}

/** Moves the amount from `card` to `destination`; otherwise as a charge. The gate takes its commission from the payer besides. */
export interface TransferRequest extends ChargeRequest {
  readonly destination: Secret<DestinationCard>;
}

/** Asks what a gate would hold for a transfer before there is one; of the cards it tells the leading digits alone. */
export interface QuoteRequest {
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly amount: Money;
  readonly sourceBin: string;
  readonly destinationBin: string;
}

/** What comes after an approved transaction of the same gate; `key` is its own idempotency key and is sent once. */
export interface FollowUpRequest {
  readonly key: AttemptKey;
  /** The approved attempt that it follows. */
  readonly original: AttemptKey;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly endpointId: EndpointId;
  readonly amount: Money;
}

/** Overrides of the gate's own setting, handed through (interface, section 2.4). */
export interface RecurrentMarks {
  readonly scenario?: 'REGULAR' | 'IRREGULAR';
  readonly initiator?: 'CARDHOLDER' | 'MERCHANT';
}

/** The 3-D Secure result as the interface spells it (protocol decisions, section 2). */
export type PayerAuthentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED' | 'UNKNOWN';

/** What the acquirer says of one transaction; a member that it does not give is left out. */
export interface Receipted {
  readonly transactionId: string;
  readonly rrn?: string;
  readonly terminalId?: string;
  /** The gate's own time. */
  readonly processedAt: Instant;
  readonly payerAuthentication?: PayerAuthentication;
  readonly eci?: string;
  /** What the gate held for an approved transfer, in the currency of its amount. */
  readonly commission?: Money;
  /**
   * What an approved verification withdrew and gave back; shown in no answer, it stands on the cardholder's statement (protocol decisions,
   * section 7).
   */
  readonly randomSum?: Money;
}

export interface Approved extends Receipted {
  readonly kind: 'approved';
  readonly approvalCode: string;
}

export interface Declined extends Receipted {
  readonly kind: 'declined';
  /** The issuer's reason (protocol decisions, section 4). */
  readonly code: number;
  /** Advice to the payer, where the gate gives one. */
  readonly advice?: string;
}

/** A form that the payer's browser must post before the gate goes on. */
export interface PayerNeeded {
  readonly kind: 'payer-needed';
  readonly page: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  readonly transactionId: string;
}

/** The gate was silent, or said what we do not know: money may have moved. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly cause: 'timeout' | 'connection-lost' | 'unrecognised-answer' | 'gate-undecided' | 'adapter-failed';
}

/** Certain: the gate did not take the request, and will not. */
export interface NotAsked {
  readonly kind: 'not-asked';
  readonly cause: 'unavailable' | 'refused-by-gate';
}

export type ChargeAnswer = Approved | Declined | PayerNeeded | Unknown | NotAsked;

/** `not-found` is the gate's word, believed only after `longestFlightMs`. */
export type InquiryAnswer = Approved | Declined | PayerNeeded | Unknown | { readonly kind: 'not-found' };

/** `not-quoted`: the gate names no commission for this, and is not offered where the consumer chooses by it. */
export type QuoteAnswer = { readonly kind: 'quoted'; readonly commission: Money } | { readonly kind: 'not-quoted' };

/**
 * How long a call may take, from the moment at which it is made. When the time is over the signal is aborted: from then on nothing may leave for the
 * gate under this call, and it should end, with what it knows. A call that goes on all the same is waited for, and what it says late is recorded;
 * but after a restart, and from another process, nobody can know of it.
 */
export interface CallLimit {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** Absent where nothing names a trace. */
  readonly trace?: CallTrace | undefined;
}

/** What one call belongs to, for a gate that hears of it: it changes nothing in what is asked. */
export interface CallTrace {
  /** W3C Trace Context, level 1: the trace of the request that the call goes back to, and a span of its own. */
  readonly traceparent: string;
}

export interface CanCharge {
  /** Called at most once a key. What throws is taken as `unknown`. */
  charge(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export type FollowUpAnswer = Exclude<ChargeAnswer, PayerNeeded>;

export interface CanAuthorise {
  /** Reserves the sum without taking it (preauth); otherwise as `charge`. */
  authorise(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanVerify {
  /** Proves the card and its holder without taking a sum; otherwise as `charge`. */
  verify(request: VerifyRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanTransfer {
  /** Called at most once a key. What throws is taken as `unknown`. */
  transfer(request: TransferRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanQuote {
  /** Binds nobody and changes nothing at the gate; what throws or stays silent is taken as `not-quoted`. */
  quote(request: QuoteRequest, limit: CallLimit): Promise<QuoteAnswer>;
}

export interface CanCapture {
  /** Takes what was authorised, once an authorisation; called at most once a key. What throws is taken as `unknown`. */
  capture(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanReturn {
  /** Gives back what was taken, or sets free what was authorised and not captured; called at most once a key. */
  giveBack(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanVoid {
  /** Until when a transaction that was approved then is not yet cleared; from then on only a return undoes it. */
  voidableUntil(approvedAt: Instant): Instant;
  /** Undoes a transaction that was not yet cleared; called at most once a key. */
  void(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanInquire {
  /** Of any request of this gate, a follow-up too. Changes nothing at the gate; may be called at any time, from any process. */
  inquire(key: AttemptKey, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanAuthenticatePayer {
  /** The second leg: the gate charges only on this, at most once a key, with what the payer's browser brought back. */
  complete(key: AttemptKey, returned: ReadonlyMap<string, string>, limit: CallLimit): Promise<Exclude<ChargeAnswer, PayerNeeded>>;
}

/** The issuer's word on a card number, by its leading digits. */
export interface BinFacts {
  readonly cardType?: string;
  /** ISO 3166 alpha-3. */
  readonly country?: string;
  readonly bank?: string;
  readonly productCode?: string;
  readonly productName?: string;
  readonly typeCode?: string;
  readonly typeName?: string;
}

export interface CanTellBins {
  binFacts(bin: string): BinFacts | undefined;
}

/** An adapter has the capabilities that its gate has; who needs one asks for it. */
export interface Gate {
  readonly profile: GateProfile;
  readonly charging?: CanCharge;
  readonly authorising?: CanAuthorise;
  readonly verifying?: CanVerify;
  readonly transferring?: CanTransfer;
  readonly quoting?: CanQuote;
  readonly capturing?: CanCapture;
  readonly returning?: CanReturn;
  readonly voiding?: CanVoid;
  readonly inquiring?: CanInquire;
  readonly payerAuthentication?: CanAuthenticatePayer;
  readonly bins?: CanTellBins;
}

export interface Gates {
  /** @throws Error for an alias that the configuration does not have: an order of a gate that was removed waits for it. */
  gate(alias: GateAlias): Gate;
  /** Undefined for such an alias: for questions that can be answered without the gate. */
  find(alias: GateAlias): Gate | undefined;
}
