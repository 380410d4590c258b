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
  /** Whether a charge brings the payer's data and the purchase's texts: for any other gate they stay sealed. */
  readonly needsTexts: boolean;
}

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
  /**
   * Records at once what the gate gave for further questions, so that any process can ask them, also after a restart. Called as soon as the gate gave it,
   * while the outcome is open. Never rejects; absent where nothing can be recorded.
   */
  readonly taken?: (taken: TakenByGate) => Promise<void>;
}

/** What a gate that has a request gives for further questions about it. */
export interface TakenByGate {
  /** The gate's own name of the order. */
  readonly gateOrderId?: string;
  /** What the adapter needs to ask for this order; kept sealed. At most 1,024 characters. */
  readonly session?: Secret<string>;
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
  transfer(request: TransferRequest, limit: CallLimit): Promise<TransferAnswer>;
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
  inquire(sent: SentRequest | SentFollowUp, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanRepeat {
  /**
   * Sends a capture, return or void again under its key, at a gate that promises that twice is once: for one whose outcome no inquiry tells. Asked only
   * once its flight is over; `not-found` means that the gate refuses it now and so never took it.
   */
  repeat(sent: SentFollowUp, limit: CallLimit): Promise<InquiryAnswer>;
}

export interface CanAuthenticatePayer {
  /** The second leg of 3-D Secure: only now does the gate charge, at most once a key, on the fields that the payer's browser brought back. */
  complete(sent: SentRequest, returned: ReadonlyMap<string, string>, limit: CallLimit): Promise<FollowUpAnswer>;
}

export interface CanChooseFee {
  /**
   * Tells the gate which of its fees the consumer chose, once an attempt at most; from then on it moves the money. Its end is inquired, also where this
   * throws.
   */
  choose(sent: SentRequest, chosen: ChosenFee, limit: CallLimit): Promise<ChoiceAnswer>;
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

export interface CanRebill {
  /** What the gate takes in place of the card, the preferred first. */
  readonly means: readonly RebillMeans[];
  /** Called at most once a key; answers as `charge` and `authorise` do, and is inquired about in the same way. A call that throws counts as `unknown`. */
  rebill(request: RebillRequest, limit: CallLimit): Promise<ChargeAnswer>;
}

export interface CanRegisterCards {
  /** Moves no money and may be asked again at any time, from any process: the same order gives the same token. */
  register(request: RegisterRequest, limit: CallLimit): Promise<RegisterAnswer>;
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
  readonly repeating?: CanRepeat;
  /** `hosted` at a gate that takes the payer through it by itself; its challenges say so too. */
  readonly payerAuthentication?: CanAuthenticatePayer | 'hosted';
  /** At a gate that may answer a transfer with `choice-needed`. */
  readonly choosing?: CanChooseFee;
  readonly bins?: CanLookUpBins;
  /** Where the gate tells something by itself: its requests are taken at an address of its own, and each charge and follow-up names one. */
  readonly listening?: CanListen;
  /** Present at a gate that can do without the number of a registered card; one without `charging` takes no cards at all. */
  readonly rebilling?: CanRebill;
  /** Present at a gate that gives the token of an approved order's card when it is asked for it. */
  readonly registering?: CanRegisterCards;
}

export interface Gates {
  /** @throws Error for an alias that the configuration does not have: an order waits until its gate is configured again. */
  gate(alias: GateAlias): Gate;
  /** Undefined for an alias that the configuration does not have; for callers that can go on without the gate. */
  find(alias: GateAlias): Gate | undefined;
}

export type GateCapability = Exclude<keyof Gate, 'profile'>;

/** A gate that has these capabilities at most. */
type GateWith<Capability extends GateCapability> = Pick<Gate, 'profile' | Capability> & {
  readonly [Other in Exclude<GateCapability, Capability>]?: never;
};

/** One way to speak to acquirers: how its gates are configured, what they can do, and how one is made. */
export interface GateAdapter<
  Name extends string,
  Own extends AdapterSchema['settings'],
  Secrets extends SecretForms,
  Ports,
  Capability extends GateCapability,
> extends AdapterSchema<Name, Own, Secrets> {
  readonly capabilities: readonly Capability[];
  /** Absent where the acquirer sends no settlement files, or none that we read. */
  readonly settlement?: SettlementFormat;
  /** Once a gate of the configuration, when the service starts: asks nobody anything. */
  create(settings: GateSettingsOf<AdapterSchema<Name, Own, Secrets>>, ports: Ports): GateWith<Capability>;
}
