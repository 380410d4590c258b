import type {
  BinFacts,
  CanAuthenticatePayer,
  CanCharge,
  CanInquire,
  CanTellBins,
  ChargeAnswer,
  ChargeRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  PayerNeeded,
  Unknown,
} from '@app/gateway-adapters/contract';
import type { AttemptKey, Clock } from '@app/kernel';
import { answeredPage, authenticationPage, type Page } from './authentication-page';
import { chargeAnswer, completionAnswer, inquiryAnswer, type AuthenticationPageUrl } from './answers';
import { ruleOnCharge, type RuledGate } from './charge-rules';
import { underFault, type GateCall, type SimulatorFaults } from './faults';
import type { SimulatorLedger } from './ledger';
import { verdictOnPayer } from './payer-word';
import { SETTLE_AFTER_MS_DEFAULT, SETTLE_AFTER_MS_MAX, type SimulatedBin, type SimulatorSettings } from './settings';

const BIN_DIGITS = 6;

export interface SimulatorParts {
  readonly settings: SimulatorSettings;
  readonly bins: readonly SimulatedBin[];
  readonly clock: Clock;
  /** May be shared by several gates. */
  readonly ledger: SimulatorLedger;
  /** Where the application serves `authenticationPageFor`. */
  readonly authenticationPageUrl: AuthenticationPageUrl;
  /** How long an outcome left unknown stays so, 1 to 30,000 ms; 1,500 where absent. */
  readonly settleAfterMs?: number;
  /** For tests and the simulation alone. */
  readonly faults?: SimulatorFaults;
}

/**
 * A gate that moves no money: the CVV, or without one the amount, decides what becomes of a charge (protocol decisions, section 9). It keeps
 * books of its own as an acquirer does, so that a killed process or a second one finds every answer again.
 */
export class SimulatorGate implements Gate, CanCharge, CanInquire, CanAuthenticatePayer, CanTellBins {
  readonly profile: GateProfile;
  readonly charging: CanCharge = this;
  readonly inquiring: CanInquire = this;
  /** Of a 3-D Secure gate only. */
  readonly payerAuthentication?: CanAuthenticatePayer;
  readonly bins: CanTellBins = this;
  readonly #rules: RuledGate;
  readonly #isUnavailable: boolean;
  readonly #factsByBin: ReadonlyMap<string, BinFacts>;
  readonly #clock: Clock;
  readonly #ledger: SimulatorLedger;
  readonly #pageUrl: AuthenticationPageUrl;
  readonly #faults: SimulatorFaults | undefined;

  /** @throws RangeError where an unknown outcome would settle at once or later than allowed. */
  constructor({ settings, bins, clock, ledger, authenticationPageUrl, settleAfterMs = SETTLE_AFTER_MS_DEFAULT, faults }: SimulatorParts) {
    if (!Number.isInteger(settleAfterMs) || settleAfterMs < 1 || settleAfterMs > SETTLE_AFTER_MS_MAX) {
      throw new RangeError(`an unknown outcome settles after 1 to ${SETTLE_AFTER_MS_MAX} ms, not ${settleAfterMs}`);
    }
    const { alias, cvvRequired, threeDSecure, partialReversal, partialCapture, longestFlightMs, descriptor, simulate } = settings;
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
    };
    if (threeDSecure) this.payerAuthentication = this;
    this.#rules = { currencies, cvvRequired, threeDSecure, declinesAllWith: simulate?.decline, settleAfterMs };
    this.#isUnavailable = simulate?.unavailable ?? false;
    this.#factsByBin = new Map(bins.map(({ bin, ...facts }) => [bin, facts]));
    this.#clock = clock;
    this.#ledger = ledger;
    this.#pageUrl = authenticationPageUrl;
    this.#faults = faults;
  }

  async charge(request: ChargeRequest): Promise<ChargeAnswer> {
    if (this.#isUnavailable) return { kind: 'not-asked', cause: 'unavailable' };
    return this.#call('charge', request.key, async () => {
      const { key, orderId, merchant, amount, card } = request;
      const at = this.#clock.now();
      const ruling = ruleOnCharge(request, this.#rules, at);
      const lastFour = card.reveal().number.slice(-4);
      const asked = { gate: this.profile.alias, key, orderId, merchant, amount, lastFour, createdAt: at, ...ruling };
      return chargeAnswer(await this.#ledger.charge(asked), at, this.#pageUrl);
    });
  }

  async complete(key: AttemptKey, returned: ReadonlyMap<string, string>): Promise<Exclude<ChargeAnswer, PayerNeeded>> {
    if (this.#isUnavailable) return { kind: 'not-asked', cause: 'unavailable' };
    return this.#call('complete', key, async () => {
      const at = this.#clock.now();
      return completionAnswer(await this.#ledger.complete(this.profile.alias, key, verdictOnPayer(returned), at), at);
    });
  }

  async inquire(key: AttemptKey): Promise<InquiryAnswer> {
    if (this.#isUnavailable) return { kind: 'unknown', cause: 'connection-lost' };
    return this.#call('inquire', key, async () =>
      inquiryAnswer(this.#ledger.find(this.profile.alias, key), this.#clock.now(), this.#pageUrl),
    );
  }

  binFacts(bin: string): BinFacts | undefined {
    return this.#factsByBin.get(bin.slice(0, BIN_DIGITS));
  }

  /**
   * The page that the payer of this attempt is to see; undefined where nobody waits for one. Its way back comes from the ledger: what the
   * browser posted is not looked at.
   */
  authenticationPageFor(key: AttemptKey): Page | undefined {
    const transaction = this.#ledger.find(this.profile.alias, key);
    if (transaction?.payerReturnUrl === undefined) return undefined;
    return transaction.standing.status === 'payer-pending' ? authenticationPage({ returnUrl: transaction.payerReturnUrl }) : answeredPage();
  }

  #call<Answer>(call: GateCall, key: AttemptKey, process: () => Promise<Answer>): Promise<Answer | Unknown> {
    return underFault(this.#faults?.faultFor(call, key), this.#faults?.scheduler, process);
  }
}
