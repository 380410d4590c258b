import type { AttemptKey, Clock, Currency, Instant, Money } from '@app/kernel';
import type {
  BinFacts,
  CallLimit,
  CanAuthenticatePayer,
  CanAuthorise,
  CanCapture,
  CanCharge,
  CanInquire,
  CanQuote,
  CanRebill,
  CanRegisterCards,
  CanReturn,
  CanLookUpBins,
  CanTransfer,
  CanVerify,
  CanVoid,
  ChargeAnswer,
  ChargeRequest,
  FollowUpAnswer,
  FollowUpRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  QuoteAnswer,
  QuoteRequest,
  RebillRequest,
  SentRequest,
  TransferRequest,
  Unknown,
  VerifyRequest,
} from '../contract';
import { answeredPage, authenticationPage, type Page, verdictOnPayer } from './authentication-page';
import {
  chargeAnswer,
  completionAnswer,
  followUpAnswer,
  followUpInquiryAnswer,
  inquiryAnswer,
  type AuthenticationPageUrl,
} from './answers';
import { ruleOnCharge, ruleOnFollowUp, ruleOnQuote, ruleOnTransfer, ruleOnVerification, type RuledGate, type Ruling } from './charge-rules';
import { RegisteredCards } from './registered-cards';
import { underFault, type GateCall, type SimulatorFaults } from './faults';
import { clearedAtMs } from './ledger/follow-up-balance';
import type { AskedFollowUp, CardOperation, Transaction } from './ledger/transaction';
import type { SimulatorLedger } from './ledger/ledger';
import { UNDECIDED_MS_DEFAULT, UNDECIDED_MS_MAX, type SimulatedBin, type SimulatorSettings } from './settings.schema';

const BIN_DIGITS = 6;
/** ISO 4217's code for no currency, for a verification at a gate without currencies. */
const NO_CURRENCY = 'XXX' as Currency;

type Recorded = Ruling & Pick<Transaction, 'lastFour' | 'chargedBy' | 'destinationLastFour'>;

const lastFourOf = ({ card }: Pick<VerifyRequest, 'card'>): string => card.reveal().number.slice(-4);

/** After its time limit, an unsent request must not be sent. */
const isOver = (limit: CallLimit | undefined): boolean => limit?.signal.aborted ?? false;

export interface SimulatorParts {
  readonly settings: SimulatorSettings;
  readonly bins: readonly SimulatedBin[];
  readonly clock: Clock;
  readonly ledger: SimulatorLedger;
  readonly authenticationPageUrl: AuthenticationPageUrl;
  /** Delay before an unknown outcome is known, 1 to 30,000 ms; by default 1,500. */
  readonly undecidedForMs?: number;
  readonly faults?: SimulatorFaults;
}

/**
 * A gate that moves no money: the CVV, or without one the amount, decides the outcome (protocol decisions, section 9).
 * Its ledger, like an acquirer's, survives restarts and is shared by processes.
 */
export class SimulatorGate
  implements
    Gate,
    CanCharge,
    CanAuthorise,
    CanVerify,
    CanTransfer,
    CanQuote,
    CanCapture,
    CanReturn,
    CanVoid,
    CanInquire,
    CanAuthenticatePayer,
    CanLookUpBins
{
  readonly profile: GateProfile;
  readonly charging: CanCharge = this;
  readonly authorising: CanAuthorise = this;
  readonly verifying: CanVerify = this;
  readonly transferring: CanTransfer = this;
  readonly quoting: CanQuote = this;
  readonly capturing: CanCapture = this;
  readonly returning: CanReturn = this;
  readonly voiding: CanVoid = this;
  readonly inquiring: CanInquire = this;
  readonly payerAuthentication?: CanAuthenticatePayer;
  readonly bins: CanLookUpBins = this;
  readonly rebilling?: CanRebill;
  readonly registering?: CanRegisterCards;
  readonly #registered: RegisteredCards;
  readonly #rules: RuledGate;
  readonly #isUnavailable: boolean;
  readonly #factsByBin: ReadonlyMap<string, BinFacts>;
  readonly #clock: Clock;
  readonly #ledger: SimulatorLedger;
  readonly #pageUrl: AuthenticationPageUrl;
  readonly #faults: SimulatorFaults | undefined;

  constructor({ settings, bins, clock, ledger, authenticationPageUrl, undecidedForMs = UNDECIDED_MS_DEFAULT, faults }: SimulatorParts) {
    if (!Number.isInteger(undecidedForMs) || undecidedForMs < 1 || undecidedForMs > UNDECIDED_MS_MAX) {
      throw new RangeError(`an unknown outcome is resolved after 1 to ${UNDECIDED_MS_MAX} ms, not ${undecidedForMs}`);
    }
    const { alias, cvvRequired, threeDSecure, partialReversal, partialCapture, longestFlightMs, commission, descriptor, simulate } =
      settings;
    const { tokens = 'none', networkTransactions = false } = settings;
    const currencies = new Set(settings.currencies);
    this.profile = {
      alias,
      currencies: [...currencies],
      cvvRequired,
      threeDSecure,
      partialReversal,
      partialCapture,
      longestFlightMs,
      descriptor,
      needsTexts: false,
    };
    if (threeDSecure) this.payerAuthentication = this;
    this.#registered = new RegisteredCards(alias, ledger, { tokens, networkTransactions }, (request, proved, limit) =>
      this.#rebill(request, proved, limit),
    );
    if (this.#registered.means.length > 0) this.rebilling = this.#registered;
    if (tokens === 'registration') this.registering = this.#registered;
    this.#rules = { currencies, cvvRequired, threeDSecure, declinesAllWith: simulate?.decline, undecidedForMs, commission };
    this.#isUnavailable = simulate?.unavailable ?? false;
    this.#factsByBin = new Map(bins.map(({ bin, ...facts }) => [bin, facts]));
    this.#clock = clock;
    this.#ledger = ledger;
    this.#pageUrl = authenticationPageUrl;
    this.#faults = faults;
  }

  charge(request: ChargeRequest, limit?: CallLimit): Promise<ChargeAnswer> {
    return this.#ask('charge', limit, request, request.amount, (at) => ({
      ...ruleOnCharge(request, this.#rules, at),
      lastFour: lastFourOf(request),
    }));
  }

  authorise(request: ChargeRequest, limit?: CallLimit): Promise<ChargeAnswer> {
    return this.#ask('authorise', limit, request, request.amount, (at) => ({
      ...ruleOnCharge(request, this.#rules, at),
      lastFour: lastFourOf(request),
    }));
  }

  verify(request: VerifyRequest, limit?: CallLimit): Promise<ChargeAnswer> {
    const currency = request.currency ?? this.profile.currencies[0] ?? NO_CURRENCY;
    return this.#ask('verify', limit, request, { minor: 0n, currency }, (at) => ({
      ...ruleOnVerification(request, currency, this.#rules, at),
      lastFour: lastFourOf(request),
    }));
  }

  transfer(request: TransferRequest, limit?: CallLimit): Promise<ChargeAnswer> {
    return this.#ask('transfer', limit, request, request.amount, (at) => ({
      ...ruleOnTransfer(request, this.#rules, at),
      lastFour: lastFourOf(request),
      destinationLastFour: request.destination.reveal().number.slice(-4),
    }));
  }

  quote(request: QuoteRequest): Promise<QuoteAnswer> {
    return Promise.resolve(this.#isUnavailable ? { kind: 'not-quoted' } : ruleOnQuote(request, this.#rules));
  }

  capture(request: FollowUpRequest, limit?: CallLimit): Promise<FollowUpAnswer> {
    return this.#follow('capture', limit, request);
  }

  refund(request: FollowUpRequest, limit?: CallLimit): Promise<FollowUpAnswer> {
    return this.#follow('return', limit, request);
  }

  void(request: FollowUpRequest, limit?: CallLimit): Promise<FollowUpAnswer> {
    return this.#follow('void', limit, request);
  }

  voidableUntil(approvedAt: Instant): Instant {
    return clearedAtMs(approvedAt) as Instant;
  }

  async complete({ key }: SentRequest, returned: ReadonlyMap<string, string>, limit?: CallLimit): Promise<FollowUpAnswer> {
    if (this.#isUnavailable || isOver(limit)) return { kind: 'not-asked', cause: 'unavailable' };
    return this.#call('complete', key, limit, async () => {
      const at = this.#clock.now();
      const transaction = await this.#ledger.complete(this.profile.alias, key, verdictOnPayer(returned), at);
      return this.#registered.told(completionAnswer(transaction, at), transaction);
    });
  }

  async inquire({ key }: SentRequest, limit?: CallLimit): Promise<InquiryAnswer> {
    if (this.#isUnavailable || isOver(limit)) return { kind: 'unknown', cause: 'connection-lost' };
    return this.#call('inquire', key, limit, async () => {
      const { alias } = this.profile;
      const followUp = this.#ledger.findFollowUp(alias, key);
      const at = this.#clock.now();
      if (followUp !== undefined) return followUpInquiryAnswer(followUp, at);
      const transaction = this.#ledger.find(alias, key);
      return this.#registered.told(inquiryAnswer(transaction, at, this.#pageUrl), transaction);
    });
  }

  binFacts(bin: string): BinFacts | undefined {
    return this.#factsByBin.get(bin.slice(0, BIN_DIGITS));
  }

  /**
   * The payer's page of this attempt; undefined unless a payer is pending. The return address comes from the ledger, because posted fields
   * are untrusted.
   */
  authenticationPageFor(key: AttemptKey): Page | undefined {
    const transaction = this.#ledger.find(this.profile.alias, key);
    if (transaction?.payerReturnUrl === undefined) return undefined;
    const link = { returnUrl: transaction.payerReturnUrl };
    return transaction.state.status === 'payer-pending' ? authenticationPage(link) : answeredPage(link);
  }

  async #ask(
    operation: CardOperation,
    limit: CallLimit | undefined,
    request: Pick<SentRequest, 'key' | 'orderId' | 'merchant'>,
    amount: Money,
    rule: (at: Instant) => Recorded,
  ): Promise<ChargeAnswer> {
    if (this.#isUnavailable || isOver(limit)) return { kind: 'not-asked', cause: 'unavailable' };
    return this.#call(operation, request.key, limit, async () => {
      const { key, orderId, merchant } = request;
      const at = this.#clock.now();
      const asked = { gate: this.profile.alias, key, operation, orderId, merchant, amount, createdAt: at, ...rule(at) };
      const transaction = await this.#ledger.charge(asked);
      return this.#registered.told(chargeAnswer(transaction, at, this.#pageUrl), transaction);
    });
  }

  #rebill(request: RebillRequest, { lastFour }: Transaction, limit: CallLimit | undefined): Promise<ChargeAnswer> {
    return this.#ask(request.transactionType === 'sale' ? 'charge' : 'authorise', limit, request, request.amount, (at) => ({
      ...ruleOnCharge(request, this.#rules, at),
      lastFour,
      chargedBy: request.by.kind,
    }));
  }

  async #follow(asked: AskedFollowUp, limit: CallLimit | undefined, request: FollowUpRequest): Promise<FollowUpAnswer> {
    if (this.#isUnavailable || isOver(limit)) return { kind: 'not-asked', cause: 'unavailable' };
    return this.#call(asked, request.key, limit, async () => {
      const { key, original, orderId, merchant, amount } = request;
      const { alias, partialCapture, partialReversal } = this.profile;
      const at = this.#clock.now();
      const state = ruleOnFollowUp(amount, this.#rules, at);
      const parts = { isPartCaptured: partialCapture, isPartReturned: partialReversal };
      const transaction = { gate: alias, key, original, orderId, merchant, amount, createdAt: at, state };
      return followUpAnswer(await this.#ledger.followUp({ asked, ...parts, ...transaction }), at);
    });
  }

  #call<Answer>(call: GateCall, key: AttemptKey, limit: CallLimit | undefined, process: () => Promise<Answer>): Promise<Answer | Unknown> {
    return underFault(this.#faults?.faultFor(call, key), this.#faults?.scheduler, limit, process);
  }
}
