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

/** The acquirer's references of one transaction; a member that it does not give is left out. */
export interface AcquirerReferences {
  readonly transactionId: string;
  readonly rrn?: string;
  readonly terminalId?: string;
  /** The gate's own time. */
  readonly processedAt: Instant;
  readonly payerAuthentication?: PayerAuthentication;
  readonly eci?: string;
  /** The commission that the gate held for an approved transfer, in the currency of its amount. */
  readonly commission?: Money;
  /**
   * The sum that an approved verification withdrew and refunded; no answer shows it, since the cardholder reads it from the statement (protocol
   * decisions, section 7).
   */
  readonly randomSum?: Money;
}

export interface Approved extends AcquirerReferences {
  readonly kind: 'approved';
  readonly approvalCode: string;
}

export interface Declined extends AcquirerReferences {
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

/** The gate was silent, or answered in a way that we do not know: money may have moved. */
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

/** A gate's `not-found` is believed only after `longestFlightMs`. */
export type InquiryAnswer = Approved | Declined | PayerNeeded | Unknown | { readonly kind: 'not-found' };

/** `not-quoted`: the gate names no commission for this, and is not offered where the consumer chooses by it. */
export type QuoteAnswer = { readonly kind: 'quoted'; readonly commission: Money } | { readonly kind: 'not-quoted' };

/**
 * How long a call may take, from the moment at which it is made. When the time is over the signal is aborted: from then on nothing may leave for the
 * gate under this call, and it should end, with what it knows. A call that goes on all the same is waited for, and its late answer is recorded;
 * after a restart, and from another process, that answer is lost.
 */
export interface CallLimit {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** Absent where nothing names a trace. */
  readonly trace?: CallTrace | undefined;
}

/** The trace of one call, for gates that accept one; the request is the same without it. */
export interface CallTrace {
  /** W3C Trace Context, level 1: the trace of the request that the call goes back to, and a span of its own. */
  readonly traceparent: string;
}

export interface CanCharge {
  /** Called at most once a key. A call that throws counts as `unknown`. */
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
  /** Called at most once a key. A call that throws counts as `unknown`. */
  transfer(request: TransferRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanQuote {
  /** A quote binds neither side and changes nothing at the gate; a call that throws or gets no answer counts as `not-quoted`. */
  quote(request: QuoteRequest, limit: CallLimit): Promise<QuoteAnswer>;
}

export interface CanCapture {
  /** Captures an authorised sum, at most once an authorisation; called at most once a key. A call that throws counts as `unknown`. */
  capture(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanReturn {
  /** Refunds a sum that was taken, or releases one that was authorised and not captured; called at most once a key. */
  refund(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanVoid {
  /** The moment from which a transaction that was approved at `approvedAt` is cleared, so that only a return undoes it. */
  voidableUntil(approvedAt: Instant): Instant;
  /** Undoes a transaction that was not yet cleared; called at most once a key. */
  void(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanInquire {
  /** Asks for the outcome of any request to this gate, a follow-up too. Changes nothing at the gate; may be called at any time, from any process. */
  inquire(key: AttemptKey, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanAuthenticatePayer {
  /** The second leg of 3-D Secure: only now does the gate charge, at most once a key, on the fields that the payer's browser brought back. */
  complete(key: AttemptKey, returned: ReadonlyMap<string, string>, limit: CallLimit): Promise<Exclude<ChargeAnswer, PayerNeeded>>;
}

/** The issuer's facts of a card number, by its leading digits. */
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

export interface CanLookUpBins {
  binFacts(bin: string): BinFacts | undefined;
}

/** An adapter has the capabilities of its gate alone; a caller checks for the one that it needs. */
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
  readonly bins?: CanLookUpBins;
}

export interface Gates {
  /** @throws Error for an alias that the configuration does not have: an order waits until its gate is configured again. */
  gate(alias: GateAlias): Gate;
  /** Undefined for an alias that the configuration does not have; for callers that can go on without the gate. */
  find(alias: GateAlias): Gate | undefined;
}
