import {
  addMs,
  commissionOf,
  resultCode,
  type Card,
  type CommissionRate,
  type Currency,
  type Instant,
  type Money,
  type ResultName,
  type Secret,
} from '@app/kernel';
import type { QuoteAnswer, QuoteRequest, VerifyRequest } from '../contract';
import type { Decided, Transaction, Verdict } from './ledger/transaction';

export interface RuledGate {
  readonly currencies: ReadonlySet<Currency>;
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly declinesAllWith: number | undefined;
  readonly undecidedForMs: number;
  readonly commission: CommissionRate;
}

interface Ruled extends Pick<VerifyRequest, 'cvv' | 'payerReturnUrl'> {
  /** Absent for a registered card, which was valid when it was registered. */
  readonly card?: Secret<Card>;
}

export interface RuledSum extends Ruled {
  readonly amount: Money;
}

export type Ruling = Pick<Transaction, 'state' | 'payerReturnUrl' | 'commissionMinor' | 'randomSumMinor'>;

interface Outcome {
  readonly verdict: Verdict;
  /** The first answer is `unknown`; a later inquiry returns the verdict. */
  readonly isSilentAtFirst: boolean;
}

const approved: Outcome = { verdict: { status: 'approved' }, isSilentAtFirst: false };
const declinedWith = (code: number): Outcome => ({ verdict: { status: 'declined', code }, isSilentAtFirst: false });
const declined = (reason: ResultName): Outcome => declinedWith(resultCode(reason));
const silent = ({ verdict }: Outcome): Outcome => ({ verdict, isSilentAtFirst: true });

export const PAYER_NOT_AUTHENTICATED = resultCode('payer-not-authenticated');

const CVV_FOR_AUTHENTICATION = '321';

/** Protocol decisions, section 9, the table by CVV; any other CVV is declined 100. */
const BY_CVV: ReadonlyMap<string, Outcome> = new Map([
  ['123', approved],
  ['1234', approved],
  ['111', approved],
  [CVV_FOR_AUTHENTICATION, approved],
  ['217', silent(approved)],
  ['218', silent(declined('do-not-honour'))],
  ['101', declined('expired-card')],
  ['116', declined('insufficient-funds')],
  ['119', declined('not-permitted-to-cardholder')],
  ['209', declined('stolen-card')],
]);

/** Protocol decisions, section 9, by the minor part of the amount, for requests without CVV; any other part is approved. */
const BY_MINOR_PART: ReadonlyMap<bigint, Outcome> = new Map([
  [17n, silent(approved)],
  [18n, silent(declined('do-not-honour'))],
  [16n, declined('insufficient-funds')],
  [1n, declined('expired-card')],
  [19n, declined('not-permitted-to-cardholder')],
  [9n, declined('stolen-card')],
]);

const MINOR_PER_MAJOR = 100n;

const isExpired = ({ expiryYear, expiryMonth }: Card, now: Instant): boolean => now >= Date.UTC(expiryYear, expiryMonth, 1);

/** Protocol decisions, section 7: 100 plus the last two digits of the card number. */
const randomSumOf = ({ number }: Card): bigint => 100n + BigInt(number.slice(-2));

const isApprovable = ({ state }: Ruling): boolean => state.status === 'approved' || state.status === 'payer-pending';

const outcomeByAmount = ({ minor }: Money): Outcome => BY_MINOR_PART.get(minor % MINOR_PER_MAJOR) ?? approved;

const timesOf = ({ isSilentAtFirst }: Outcome, undecidedForMs: number, now: Instant): Pick<Decided, 'decidedAt' | 'knownFrom'> =>
  isSilentAtFirst ? { decidedAt: now, knownFrom: addMs(now, undecidedForMs) } : { decidedAt: now };

const outcomeOf = (request: Ruled, amount: Money | undefined, declinesAllWith: number | undefined, now: Instant): Outcome => {
  const cvv = request.cvv?.reveal();
  if (declinesAllWith !== undefined) return declinedWith(declinesAllWith);
  if (request.card !== undefined && isExpired(request.card.reveal(), now)) return declined('expired-card');
  if (cvv !== undefined) return BY_CVV.get(cvv) ?? declined('do-not-honour');
  return amount === undefined ? approved : outcomeByAmount(amount);
};

/**
 * The ruling on one charge (protocol decisions, section 9). An expired card is declined 101 whatever its CVV (section 4).
 * On a 3-D Secure gate CVV 321 requires authentication and, without a return address, is declined 110. Any other CVV gives `UNSUPPORTED`.
 */
export const ruleOnCharge = (request: RuledSum, gate: RuledGate, now: Instant): Ruling => {
  const { currency, minor } = request.amount;
  if (!gate.currencies.has(currency) || minor <= 0n) return { state: { status: 'refused' } };
  return rule(request, request.amount, gate, now);
};

/** A verification has no amount; its random sum is in the given currency. */
export const ruleOnVerification = (request: VerifyRequest, currency: Currency, gate: RuledGate, now: Instant): Ruling => {
  if (!gate.currencies.has(currency)) return { state: { status: 'refused' } };
  const ruling = rule(request, undefined, gate, now);
  return isApprovable(ruling) ? { ...ruling, randomSumMinor: randomSumOf(request.card.reveal()) } : ruling;
};

export const ruleOnTransfer = (request: RuledSum, gate: RuledGate, now: Instant): Ruling => {
  const ruling = ruleOnCharge(request, gate, now);
  return isApprovable(ruling) ? { ...ruling, commissionMinor: commissionOf(request.amount.minor, gate.commission) } : ruling;
};

export const ruleOnQuote = ({ amount: { minor, currency } }: QuoteRequest, gate: RuledGate): QuoteAnswer => {
  if (!gate.currencies.has(currency) || minor <= 0n) return { kind: 'not-quoted' };
  return { kind: 'quoted', commission: { minor: commissionOf(minor, gate.commission), currency } };
};

/** A follow-up has no CVV, so its amount decides. */
export const ruleOnFollowUp = (amount: Money, { declinesAllWith, undecidedForMs }: RuledGate, now: Instant): Decided => {
  const outcome = declinesAllWith === undefined ? outcomeByAmount(amount) : declinedWith(declinesAllWith);
  return { ...outcome.verdict, ...timesOf(outcome, undecidedForMs, now) };
};

const rule = (request: Ruled, amount: Money | undefined, gate: RuledGate, now: Instant): Ruling => {
  const { payerReturnUrl } = request;
  const cvv = request.cvv?.reveal();
  if (gate.cvvRequired && cvv === undefined) return { state: { status: 'refused' } };
  const outcome = outcomeOf(request, amount, gate.declinesAllWith, now);
  const { verdict } = outcome;
  const times = timesOf(outcome, gate.undecidedForMs, now);
  if (!gate.threeDSecure || cvv === undefined) return { state: { ...verdict, ...times } };
  if (cvv !== CVV_FOR_AUTHENTICATION || verdict.status === 'declined') {
    return { state: { ...verdict, payerAuthentication: 'UNSUPPORTED', ...times } };
  }
  if (payerReturnUrl === undefined) {
    return { state: { status: 'declined', code: PAYER_NOT_AUTHENTICATED, payerAuthentication: 'NOT_AUTHENTICATED', decidedAt: now } };
  }
  return { state: { status: 'payer-pending' }, payerReturnUrl };
};
