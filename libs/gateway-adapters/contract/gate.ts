import type { Currency, GateAlias, Instant, Secret } from '@app/kernel';
import type { AdapterSchema, GateSettingsOf, SecretForms } from '@app/configuration/gates';
import type { ChargeAnswer, ChoiceAnswer, FollowUpAnswer, InquiryAnswer, QuoteAnswer, TransferAnswer } from './answers';
import type { CanListen } from './inbound';
import type {
  RebillMeans,
  RebillRequest,
  RegisterAnswer,
  RegisterRequest,
  ChargeRequest,
  ChosenFee,
  FollowUpRequest,
  QuoteRequest,
  SentFollowUp,
  SentRequest,
  TransferRequest,
  VerifyRequest,
} from './requests';
import type { SettlementFormat } from './settlement';

/** Limits of a gate, from the configuration. Those that decide something are fixed in the order's plan. */
export interface GateProfile {
  readonly alias: GateAlias;
  readonly currencies: readonly Currency[];
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  /** After this delay a `not-found` is accepted: a request has arrived by then or never will (architecture, rule 4). */
  readonly longestFlightMs: number;
  readonly descriptor: string;
  /** If false, the payer's data and the purchase's texts stay sealed and are not passed to this gate. */
  readonly needsTexts: boolean;
}

/**
 * Time limit of one call. Once the signal is aborted, nothing more may be sent and the call should end with its result
 * so far.
 * A late answer is still recorded, unless the process has restarted or another process has taken over.
 */
export interface CallLimit {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly trace?: CallTrace | undefined;
  /**
   * Records data that later inquiries need, so that any process can make them, also after a restart. Call it as soon as
   * the gate returns the data.
   * Never rejects; undefined if nothing can be recorded.
   */
  readonly taken?: (taken: GateOrderReference) => Promise<void>;
}

export interface GateOrderReference {
  readonly gateOrderId?: string;
  /** Needed by the adapter to inquire about this order. Stored sealed; at most 1,024 characters. */
  readonly session?: Secret<string>;
}

/** For gates that accept W3C Trace Context, level 1; the request is the same without it. */
export interface CallTrace {
  readonly traceparent: string;
}

export interface CanCharge {
  /** Called at most once per key. If it throws, the result is `unknown`. */
  charge(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanAuthorise {
  /** Reserves the sum without taking it (preauth). Otherwise like `charge`. */
  authorise(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanVerify {
  /** Verifies the card and its holder without taking a sum. Otherwise like `charge`. */
  verify(request: VerifyRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanTransfer {
  transfer(request: TransferRequest, limit: CallLimit): Promise<TransferAnswer>;
}

export interface CanQuote {
  /** Not binding, and changes nothing at the gate. If it throws or times out, the result is `not-quoted`. */
  quote(request: QuoteRequest, limit: CallLimit): Promise<QuoteAnswer>;
}

export interface CanCapture {
  /**
   * Captures an authorised sum, at most once per authorisation and once per key. If it throws, the result is `unknown`.
   */
  capture(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanReturn {
  /** Refunds a captured sum or releases an authorised one; called at most once per key. */
  refund(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanVoid {
  /** The moment of clearing for a transaction approved at `approvedAt`; afterwards only a return can undo it. */
  voidableUntil(approvedAt: Instant): Instant;
  /** Undoes a transaction before clearing; called at most once per key. */
  void(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanInquire {
  /**
   * Asks for the outcome of any request, also of a follow-up. Changes nothing at the gate; callable at any time, from
   * any process.
   */
  inquire(sent: SentRequest | SentFollowUp, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanRepeat {
  /**
   * Sends a follow-up again under its key, only to a gate that guarantees idempotency and only after its flight time.
   * For outcomes that no inquiry returns.
   * `not-found` means that the gate refuses it now and so never took it.
   */
  repeat(sent: SentFollowUp, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanAuthenticatePayer {
  /**
   * Second leg of 3-D Secure: only this call charges, at most once per key. `returned` holds the fields from the
   * payer's browser.
   */
  complete(sent: SentRequest, returned: ReadonlyMap<string, string>, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanChooseFee {
  /**
   * Sends the consumer's choice of fee, at most once per attempt; from then on the gate moves the money. The outcome is
   * inquired, also after a throw.
   */
  choose(sent: SentRequest, chosen: ChosenFee, limit: CallLimit): Promise<ChoiceAnswer>;
}

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

export interface CanRebill {
  /** Accepted in place of the card number, the preferred first. */
  readonly means: readonly RebillMeans[];
  /**
   * Called at most once per key; answers and inquiries as for `charge` and `authorise`. If it throws, the result is
   * `unknown`.
   */
  rebill(request: RebillRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanRegisterCards {
  /** Moves no money. Callable again at any time, from any process: the same order gives the same token. */
  register(request: RegisterRequest, limit: CallLimit): Promise<RegisterAnswer>;
}

/** An adapter has only the capabilities of its gate. Callers check for the one that they need. */
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
  readonly repeating?: CanRepeat;
  /** `hosted`: the gate runs the authentication itself; its challenges say so too. */
  readonly payerAuthentication?: CanAuthenticatePayer | 'hosted';
  readonly choosing?: CanChooseFee;
  readonly bins?: CanLookUpBins;
  /**
   * Present if the gate sends notifications. They arrive at the gate's address, or at the one named in the charge or
   * follow-up.
   */
  readonly listening?: CanListen;
  /**
   * Present if the gate can charge a registered card without its number. Without `charging`, the gate takes no card
   * numbers at all.
   */
  readonly rebilling?: CanRebill;
  readonly registering?: CanRegisterCards;
}

export interface Gates {
  /** @throws Error for an alias that is not configured: an order waits until its gate is configured again. */
  gate(alias: GateAlias): Gate;
  find(alias: GateAlias): Gate | undefined;
}

export type GateCapability = Exclude<keyof Gate, 'profile'>;

type GateWith<Capability extends GateCapability> = Pick<Gate, 'profile' | Capability> & {
  readonly [Other in Exclude<GateCapability, Capability>]?: never;
};

/** One protocol of acquirers: how its gates are configured, their capabilities, and how a gate is made. */
export interface GateAdapter<
  Name extends string,
  Own extends AdapterSchema['settings'],
  Secrets extends SecretForms,
  Ports,
  Capability extends GateCapability,
> extends AdapterSchema<Name, Own, Secrets> {
  readonly capabilities: readonly Capability[];
  /** Undefined if the acquirer sends no settlement files that we can read. */
  readonly settlement?: SettlementFormat;
  /** Called once per configured gate at start; must make no calls. */
  create(settings: GateSettingsOf<AdapterSchema<Name, Own, Secrets>>, ports: Ports): GateWith<Capability>;
}
