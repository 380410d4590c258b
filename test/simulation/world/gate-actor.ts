import { addMs, sleep, type AttemptKey, type Clock, type GateAlias, type Money, type OrderId, type Scheduler } from '@app/kernel';
import type {
  Approved,
  CallLimit,
  ChargeAnswer,
  ChargeRequest,
  Declined,
  FollowUpAnswer,
  FollowUpRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  PayerNeeded,
  VerifyRequest,
} from '@app/gateway-adapters/contract';
import { HeldCalls } from './held-calls';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';

/** How often each fault of a gate meets a call, as shares of all calls. */
export interface GateFaults {
  /** Refused at the door: certain that nothing happened. */
  readonly notAsked: number;
  /** The request is lost on its way. */
  readonly requestLost: number;
  /** Processed, and the answer is lost. */
  readonly answerLost: number;
  /** Processed only when the caller has given up, within the longest flight. */
  readonly late: number;
  /** Answers minutes after the time limit of the call. */
  readonly overdue: number;
  /** Answers near the time limit, on either side of it. */
  readonly slow: number;
  /** An inquiry gets no answer, or one that decides nothing. */
  readonly inquiryUnknown: number;
  /** The issuer declines; no fault, but chance all the same. */
  readonly declines: number;
  /** The payer is asked to authenticate where one is there. */
  readonly payerNeeded: number;
}

export const HEALTHY_GATE: GateFaults = {
  notAsked: 0,
  requestLost: 0,
  answerLost: 0,
  late: 0,
  overdue: 0,
  slow: 0,
  inquiryUnknown: 0,
  declines: 0.1,
  payerNeeded: 0.1,
};

/** What the configuration promises of this gate; see `CLOCK_ERROR_MS_MAX` in the world for the margin to what it really takes. */
export const LONGEST_FLIGHT_MS = 60_000;
const LATE_MS_MAX = 30_000;
/** Of a call that one process alone can know of. */
const HELD_MS_MAX = 240_000;
const VOIDABLE_MS = 86_400_000;
const ISSUER_DECLINED = 116;
const CAPTURE_TWICE = 194;
/** So little is not given back. */
const NOT_RETURNED_MINOR = 1n;

export type EntryKind = 'charge' | 'authorisation' | 'verification' | 'transfer' | 'capture' | 'refund' | 'void';

/** One line of the gate's own book: what it did for a key. */
export interface BookEntry {
  readonly key: AttemptKey;
  readonly kind: EntryKind;
  readonly orderId: OrderId;
  readonly amount: Money | undefined;
  readonly original: AttemptKey | undefined;
  outcome: Approved | Declined | PayerNeeded;
}

interface Asked {
  readonly key: AttemptKey;
  readonly kind: EntryKind;
  readonly orderId: OrderId;
  readonly amount?: Money;
  readonly original?: AttemptKey;
  /** Where the payer's browser comes back; undefined where no payer is there. */
  readonly payerReturnUrl: string | undefined;
}

const isCharging = ({ kind }: { readonly kind: EntryKind }): boolean =>
  kind === 'charge' || kind === 'authorisation' || kind === 'transfer';

/** An acquirer with a book of its own. It processes each key once, whatever the callers do, and notes how often each was sent. */
export class GateActor {
  readonly profile: GateProfile;
  readonly held: HeldCalls;
  readonly #book = new Map<AttemptKey, BookEntry>();
  readonly #sent = new Map<AttemptKey, number>();

  constructor(
    alias: GateAlias,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly chance: KeyedChance,
    private readonly faults: () => GateFaults,
    /** Whether one process at a time calls it. */
    isCalledByOne = false,
  ) {
    this.held = new HeldCalls({ clock, scheduler, chance, arrivesMsMax: isCalledByOne ? HELD_MS_MAX : LATE_MS_MAX });
    this.profile = {
      alias,
      currencies: [],
      cvvRequired: false,
      threeDSecure: true,
      partialReversal: true,
      partialCapture: true,
      longestFlightMs: LONGEST_FLIGHT_MS,
      descriptor: `world ${alias}`,
    };
  }

  get book(): readonly BookEntry[] {
    return [...this.#book.values()];
  }

  /** How often a request with this key left for the gate. */
  get sent(): ReadonlyMap<AttemptKey, number> {
    return this.#sent;
  }

  /** As an adapter of the service sees it in one process. */
  asGate(life: Life): Gate {
    const submit = (asked: Asked, { withinMs }: CallLimit): Promise<ChargeAnswer> => this.#submit(asked, withinMs, life);
    const charging = (kind: EntryKind) => (request: ChargeRequest, limit: CallLimit) => submit(chargeAsked(kind, request), limit);
    const following = (kind: EntryKind) => (request: FollowUpRequest, limit: CallLimit) =>
      submit({ ...request, kind, payerReturnUrl: undefined }, limit) as Promise<FollowUpAnswer>;
    return {
      profile: this.profile,
      charging: { charge: charging('charge') },
      authorising: { authorise: charging('authorisation') },
      verifying: { verify: (request, limit) => submit(verifyAsked(request), limit) },
      transferring: { transfer: charging('transfer') },
      capturing: { capture: following('capture') },
      returning: { refund: following('refund') },
      voiding: { void: following('void'), voidableUntil: (approvedAt) => addMs(approvedAt, VOIDABLE_MS) },
      inquiring: { inquire: (key, limit) => this.#inquire(key, limit) },
      payerAuthentication: {
        complete: (key, _returned, limit) => this.#complete(key, limit) as Promise<Exclude<ChargeAnswer, PayerNeeded>>,
      },
    };
  }

  async #submit(asked: Asked, withinMs: number, life: Life): Promise<ChargeAnswer> {
    const { key } = asked;
    const { chance } = this;
    this.#sent.set(key, (this.#sent.get(key) ?? 0) + 1);
    const rates = this.faults();
    if (chance.happens(rates.notAsked, 'gate.not-asked', key)) return { kind: 'not-asked', cause: 'unavailable' };
    if (chance.happens(rates.requestLost, 'gate.request-lost', key)) return this.#silent(withinMs);
    if (chance.happens(rates.late, 'gate.late', key)) {
      this.scheduler.after(chance.between(0, LATE_MS_MAX, 'gate.late-ms', key), () => void this.#process(asked));
      return this.#silent(withinMs);
    }
    if (chance.happens(rates.overdue, 'gate.overdue', key)) return this.held.hold(key, withinMs, life, () => this.#process(asked).outcome);
    const slowMs = chance.happens(rates.slow, 'gate.slow', key) ? chance.between(withinMs - 500, withinMs + 500, 'gate.slow-ms', key) : 0;
    await sleep(this.scheduler, slowMs + chance.between(5, 900, 'gate.ms', key));
    const { outcome } = this.#process(asked);
    return chance.happens(rates.answerLost, 'gate.answer-lost', key) ? this.#silent(withinMs) : outcome;
  }

  async #complete(key: AttemptKey, { withinMs }: CallLimit): Promise<ChargeAnswer> {
    const entry = this.#book.get(key);
    const rates = this.faults();
    if (entry === undefined || this.chance.happens(rates.requestLost, 'gate.completion-lost', key)) return this.#silent(withinMs);
    await sleep(this.scheduler, this.chance.between(5, 900, 'gate.ms', key));
    if (entry.outcome.kind === 'payer-needed') entry.outcome = this.#decide(key, 'AUTHENTICATED');
    return this.chance.happens(rates.answerLost, 'gate.completion-answer-lost', key) ? this.#silent(withinMs) : entry.outcome;
  }

  async #inquire(key: AttemptKey, { withinMs }: CallLimit): Promise<InquiryAnswer> {
    await sleep(this.scheduler, this.chance.between(5, 300, 'gate.inquiry-ms', key));
    if (this.chance.happens(this.faults().inquiryUnknown, 'gate.inquiry-unknown', key))
      return this.chance.happens(0.5, 'gate.inquiry-silent', key) ? this.#silent(withinMs) : { kind: 'unknown', cause: 'gate-undecided' };
    const entry = this.#book.get(key);
    if (entry === undefined) return { kind: 'not-found' };
    return this.held.isTold(key) ? entry.outcome : { kind: 'unknown', cause: 'gate-undecided' };
  }

  async #silent(withinMs: number): Promise<{ readonly kind: 'unknown'; readonly cause: 'timeout' }> {
    await sleep(this.scheduler, withinMs);
    return { kind: 'unknown', cause: 'timeout' };
  }

  #process(asked: Asked): BookEntry {
    const known = this.#book.get(asked.key);
    if (known !== undefined) return known;
    const { key, kind, orderId, amount, original } = asked;
    const { payerReturnUrl } = asked;
    const asksPayer = payerReturnUrl !== undefined && this.chance.happens(this.faults().payerNeeded, 'gate.payer', key);
    const page = { action: 'https://acs.example/', fields: { PaReq: key, TermUrl: payerReturnUrl ?? '' } };
    const outcome = asksPayer ? ({ kind: 'payer-needed', page, transactionId: `t-${key}` } as const) : this.#decideOn(asked);
    const entry: BookEntry = { key, kind, orderId, amount, original, outcome };
    this.#book.set(key, entry);
    return entry;
  }

  #decideOn({ key, kind, amount, original }: Asked): Approved | Declined {
    if (original === undefined) return this.#decide(key);
    const leftMinor = this.#leftOf(original, kind);
    if (kind === 'refund' && amount?.minor === NOT_RETURNED_MINOR) return this.#declined(key, ISSUER_DECLINED);
    if (leftMinor === undefined || (amount?.minor ?? 0n) > leftMinor) return this.#declined(key, CAPTURE_TWICE);
    return this.#decide(key);
  }

  /** What a follow-up may still take of its original; undefined where it may not follow at all. */
  #leftOf(original: AttemptKey, kind: EntryKind): bigint | undefined {
    const first = this.#book.get(original);
    if (first?.outcome.kind !== 'approved') return undefined;
    const followed = this.book.filter((entry) => entry.original === original && entry.outcome.kind === 'approved');
    if (followed.some((entry) => entry.kind === 'void')) return undefined;
    if (kind === 'capture') return followed.length > 0 ? undefined : first.amount?.minor;
    if (kind === 'void') return followed.some((entry) => entry.kind === 'refund') ? undefined : first.amount?.minor;
    const captured = followed.find((entry) => entry.kind === 'capture')?.amount?.minor ?? first.amount?.minor ?? 0n;
    return captured - followed.filter((entry) => entry.kind === 'refund').reduce((sum, { amount }) => sum + (amount?.minor ?? 0n), 0n);
  }

  #decide(key: AttemptKey, payerAuthentication?: 'AUTHENTICATED'): Approved | Declined {
    if (this.chance.happens(this.faults().declines, 'gate.declines', key)) return this.#declined(key, ISSUER_DECLINED);
    const authentication = payerAuthentication === undefined ? {} : { payerAuthentication };
    return { kind: 'approved', transactionId: `t-${key}`, approvalCode: 'W0RLD1', processedAt: this.clock.now(), ...authentication };
  }

  #declined(key: AttemptKey, code: number): Declined {
    return { kind: 'declined', transactionId: `t-${key}`, code, processedAt: this.clock.now() };
  }
}

const chargeAsked = (kind: EntryKind, { key, orderId, amount, payerReturnUrl }: ChargeRequest): Asked => ({
  key,
  kind,
  orderId,
  amount,
  payerReturnUrl,
});

const verifyAsked = ({ key, orderId, payerReturnUrl }: VerifyRequest): Asked => ({
  key,
  kind: 'verification',
  orderId,
  payerReturnUrl,
});

/** The entries by which money of an order was taken or reserved. */
export const chargesIn = (book: readonly BookEntry[]): readonly BookEntry[] =>
  book.filter((entry) => isCharging(entry) && entry.outcome.kind === 'approved');
