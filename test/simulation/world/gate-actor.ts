import { addMs, sleep, type AttemptKey, type Clock, type GateAlias, type Money, type OrderId, type Scheduler } from '@app/kernel';
import type {
  CallLimit,
  ChargeAnswer,
  ChargeRequest,
  FollowUpAnswer,
  FollowUpRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  QuoteAnswer,
  QuoteRequest,
} from '@app/gateway-adapters/contract';
import { chargeAsked, GateLedger, verifyAsked, type Asked, type BookEntry, type EntryKind } from './gate-ledger';
import { HeldCalls } from './held-calls';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';

export interface GateFaults {
  readonly notAsked: number;
  readonly requestLost: number;
  readonly answerLost: number;
  /** Processed only when the caller has given up, within the longest flight. */
  readonly late: number;
  readonly overdue: number;
  /** Processed after the longest flight, which breaks the gate's promise. */
  readonly beyondFlight: number;
  readonly slow: number;
  /** Answers long after the caller gave up, perhaps after an inquiry has returned the outcome. */
  readonly answersLate: number;
  readonly mute: number;
  readonly inquiryUnknown: number;
  readonly contradicts: number;
  /** A decline by the issuer is not a fault but also happens by chance. */
  readonly declines: number;
  readonly payerNeeded: number;
}

export const HEALTHY_GATE: GateFaults = {
  notAsked: 0,
  requestLost: 0,
  answerLost: 0,
  late: 0,
  overdue: 0,
  beyondFlight: 0,
  slow: 0,
  answersLate: 0,
  mute: 0,
  inquiryUnknown: 0,
  contradicts: 0,
  declines: 0.1,
  payerNeeded: 0.1,
};

/** The configuration's promise for this gate. `CLOCK_ERROR_MS_MAX` gives the margin to its real flight time. */
export const LONGEST_FLIGHT_MS = 60_000;
const LATE_MS_MAX = 30_000;
/** For calls that only one process can know of. */
const HELD_MS_MAX = 240_000;
const ANSWERS_LATE_MS_MAX = 90_000;
const BEYOND_FLIGHT_MS = [LONGEST_FLIGHT_MS, 4 * LONGEST_FLIGHT_MS] as const;
const VOIDABLE_MS = 86_400_000;
/** Few calls are follow-ups, so their rates of late and mute calls are multiplied. */
const FOLLOW_UPS_WORSE = 3;
/** A late answer contradicts an earlier inquiry this many times as often as another inquiry does. */
const LATE_CONTRADICTS_MORE = 12;

export interface GateCall {
  readonly key: AttemptKey;
  readonly kind: EntryKind;
  readonly orderId: OrderId;
  readonly atMs: number;
  endedAtMs: number | undefined;
}

/** An acquirer with its own ledger. It counts sent keys and notes the orders for which it broke its promises. */
export class GateActor {
  readonly profile: GateProfile;
  readonly held: HeldCalls;
  /** Orders with contradicting answers, or with an effect after the longest flight. */
  readonly brokenPromises = new Set<OrderId>();
  readonly calls = new Map<AttemptKey, GateCall>();
  readonly #ledger: GateLedger;
  readonly #sent = new Map<AttemptKey, number>();
  readonly #mute = new Set<AttemptKey>();

  constructor(
    alias: GateAlias,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly chance: KeyedChance,
    private readonly faults: () => GateFaults,
    isCalledByOne: boolean,
    /** The commission is this percentage plus one minor unit. */
    private readonly commissionPercent: bigint,
  ) {
    this.held = new HeldCalls({ clock, scheduler, chance, arrivesMsMax: isCalledByOne ? HELD_MS_MAX : LATE_MS_MAX });
    this.#ledger = new GateLedger(clock, scheduler, chance, faults, (amount) => this.#commissionOf(amount));
    this.profile = {
      alias,
      currencies: [],
      cvvRequired: false,
      threeDSecure: true,
      partialReversal: true,
      partialCapture: true,
      longestFlightMs: LONGEST_FLIGHT_MS,
      descriptor: `world ${alias}`,
      needsTexts: false,
    };
  }

  get book(): readonly BookEntry[] {
    return this.#ledger.entries;
  }

  get overdrawn(): ReadonlySet<OrderId> {
    return this.#ledger.overdrawn;
  }

  get sent(): ReadonlyMap<AttemptKey, number> {
    return this.#sent;
  }

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
      quoting: { quote: (request, limit) => this.#quote(request, limit) },
      capturing: { capture: following('capture') },
      returning: { refund: following('refund') },
      voiding: { void: following('void'), voidableUntil: (approvedAt) => addMs(approvedAt, VOIDABLE_MS) },
      inquiring: { inquire: ({ key }, limit) => this.#inquire(key, limit) },
      payerAuthentication: {
        complete: ({ key }, _returned, limit) => this.#complete(key, limit) as Promise<FollowUpAnswer>,
      },
    };
  }

  #commissionOf({ minor, currency }: Money): Money {
    return { minor: (minor * this.commissionPercent) / 100n + 1n, currency };
  }

  async #quote({ amount }: QuoteRequest, { withinMs }: CallLimit): Promise<QuoteAnswer> {
    const { alias } = this.profile;
    const rates = this.faults();
    if (this.chance.happens(rates.notAsked, 'gate.not-quoted', alias)) return { kind: 'not-quoted' };
    const slowMs = this.chance.happens(rates.slow, 'gate.quotes-late', alias) ? withinMs : 0;
    await sleep(this.scheduler, slowMs + this.chance.between(5, 900, 'gate.quote-ms', alias));
    return { kind: 'quoted', commission: this.#commissionOf(amount) };
  }

  #submit(asked: Asked, withinMs: number, life: Life): Promise<ChargeAnswer> {
    this.#sent.set(asked.key, (this.#sent.get(asked.key) ?? 0) + 1);
    return this.#noted(asked, () => this.#answerTo(asked, withinMs, life));
  }

  async #noted(
    { key, kind, orderId }: Pick<Asked, 'key' | 'kind' | 'orderId'>,
    called: () => Promise<ChargeAnswer>,
  ): Promise<ChargeAnswer> {
    const call: GateCall = { key, kind, orderId, atMs: this.clock.now(), endedAtMs: undefined };
    this.calls.set(key, call);
    const answer = await called();
    call.endedAtMs = this.clock.now();
    return answer;
  }

  async #answerTo(asked: Asked, withinMs: number, life: Life): Promise<ChargeAnswer> {
    const { key, orderId } = asked;
    const { chance } = this;
    const rates = this.faults();
    if (chance.happens(rates.notAsked, 'gate.not-asked', key)) return { kind: 'not-asked', cause: 'unavailable' };
    if (chance.happens(rates.requestLost, 'gate.request-lost', key)) return this.#silent(withinMs);
    if (chance.happens(rates.late, 'gate.late', key)) {
      this.scheduler.after(chance.between(0, LATE_MS_MAX, 'gate.late-ms', key), () => void this.#ledger.process(asked));
      return this.#silent(withinMs);
    }
    if (chance.happens(rates.beyondFlight, 'gate.beyond-flight', key)) {
      this.brokenPromises.add(orderId);
      this.scheduler.after(withinMs + chance.between(...BEYOND_FLIGHT_MS, 'gate.beyond-ms', key), () => void this.#ledger.process(asked));
      return this.#silent(withinMs);
    }
    const worse = asked.original === undefined ? 1 : FOLLOW_UPS_WORSE;
    if (chance.happens(rates.mute * worse, 'gate.mute', key)) {
      this.#mute.add(key);
      if (chance.happens(0.5, 'gate.mute-processes', key)) this.#ledger.process(asked);
      return this.#silent(withinMs);
    }
    if (chance.happens(rates.overdue, 'gate.overdue', key))
      return this.held.hold(key, withinMs, life, () => this.#ledger.process(asked).outcome);
    const slowMs = chance.happens(rates.slow, 'gate.slow', key) ? chance.between(withinMs - 500, withinMs + 500, 'gate.slow-ms', key) : 0;
    await sleep(this.scheduler, slowMs + chance.between(5, 900, 'gate.ms', key));
    const entry = this.#ledger.process(asked);
    if (chance.happens(rates.answersLate * worse, 'gate.answers-late', key)) {
      await sleep(this.scheduler, withinMs + chance.between(0, ANSWERS_LATE_MS_MAX, 'gate.answers-late-ms', key));
      return this.#said(entry, LATE_CONTRADICTS_MORE);
    }
    return chance.happens(rates.answerLost, 'gate.answer-lost', key) ? this.#silent(withinMs) : entry.outcome;
  }

  async #complete(key: AttemptKey, { withinMs }: CallLimit): Promise<ChargeAnswer> {
    const entry = this.#ledger.find(key);
    const rates = this.faults();
    if (entry === undefined) return this.#silent(withinMs);
    return this.#noted(entry, async () => {
      if (this.chance.happens(rates.requestLost, 'gate.completion-lost', key)) return this.#silent(withinMs);
      await sleep(this.scheduler, this.chance.between(5, 900, 'gate.ms', key));
      const answer = this.#ledger.complete(entry);
      return this.chance.happens(rates.answerLost, 'gate.completion-answer-lost', key) ? this.#silent(withinMs) : answer;
    });
  }

  async #inquire(key: AttemptKey, { withinMs }: CallLimit): Promise<InquiryAnswer> {
    await sleep(this.scheduler, this.chance.between(5, 300, 'gate.inquiry-ms', key));
    const { inquiryUnknown, mute } = this.faults();
    if (mute > 0 && this.#mute.has(key)) return this.#silent(withinMs);
    if (this.chance.happens(inquiryUnknown, 'gate.inquiry-unknown', key))
      return this.chance.happens(0.5, 'gate.inquiry-silent', key) ? this.#silent(withinMs) : { kind: 'unknown', cause: 'gate-undecided' };
    const entry = this.#ledger.find(key);
    if (entry === undefined) return { kind: 'not-found' };
    return this.held.isTold(key) ? this.#said(entry) : { kind: 'unknown', cause: 'gate-undecided' };
  }

  #said(entry: BookEntry, timesAsOften = 1): BookEntry['outcome'] {
    const contradicts = this.faults().contradicts * timesAsOften;
    if (entry.outcome.kind === 'payer-needed' || !this.chance.happens(contradicts, 'gate.contradicts', entry.key)) return entry.outcome;
    this.brokenPromises.add(entry.orderId);
    return this.#ledger.oppositeOf(entry);
  }

  async #silent(withinMs: number): Promise<{ readonly kind: 'unknown'; readonly cause: 'timeout' }> {
    await sleep(this.scheduler, withinMs);
    return { kind: 'unknown', cause: 'timeout' };
  }
}
