import { createHash } from 'node:crypto';
import { isLuhnValid, type AttemptKey, type GateAlias, type OrderId, resultCode, type Instant } from '@app/kernel';
import type {
  Approved,
  ChargeAnswer,
  Declined,
  FollowUpAnswer,
  InquiryAnswer,
  PayerNeeded,
  AcquirerReferences,
  Unknown,
} from '../contract';
import type { FollowUpTransaction, Decided, Transaction } from './ledger/transaction';

/** Derived from the key, so that every process returns the same references. */
interface SimulatedReferences {
  readonly transactionId: string;
  /** 12 digits with a wrong check digit, so never a card number. */
  readonly rrn: string;
  /** 8 characters; the gate has one terminal. */
  readonly terminalId: string;
  readonly approvalCode: string;
}

const numberOf = (...parts: readonly string[]): bigint => createHash('sha256').update(parts.join('\n')).digest().readBigUInt64BE();
const characters = (from: bigint, length: number): string =>
  (from % 36n ** BigInt(length)).toString(36).toUpperCase().padStart(length, '0');

const rrnOf = (key: AttemptKey): string => {
  const digits = (numberOf('rrn', key) % 10n ** 12n).toString().padStart(12, '0');
  if (!isLuhnValid(digits)) return digits;
  return `${digits.slice(0, -1)}${(Number(digits.slice(-1)) + 1) % 10}`;
};

export const acquirerReferences = (gate: GateAlias, key: AttemptKey, orderId: OrderId): SimulatedReferences => ({
  transactionId: `PNTEST-${orderId}`,
  rrn: rrnOf(key),
  terminalId: characters(numberOf('terminal', gate), 8),
  approvalCode: characters(numberOf('approval', key), 6),
});

export type AuthenticationPageUrl = (key: AttemptKey) => string;

const ADVICE: ReadonlyMap<number, string> = new Map<number, string>([
  [resultCode('expired-card'), 'The card has expired. Please use another card.'],
  [resultCode('insufficient-funds'), 'There is not enough money on the card. Please top it up or use another card.'],
]);

const ECI_AUTHENTICATED = '05';

type Answered = Pick<Transaction, 'gate' | 'key' | 'orderId' | 'amount' | 'commissionMinor' | 'randomSumMinor'>;

const heldFor = ({
  amount: { currency },
  commissionMinor,
  randomSumMinor,
}: Answered): Pick<AcquirerReferences, 'commission' | 'randomSum'> => ({
  ...(commissionMinor === undefined ? {} : { commission: { minor: commissionMinor, currency } }),
  ...(randomSumMinor === undefined ? {} : { randomSum: { minor: randomSumMinor, currency } }),
});

const decidedAnswer = (answered: Answered, decided: Decided, at: Instant): Approved | Declined | Unknown => {
  if (decided.knownFrom !== undefined && at < decided.knownFrom) return { kind: 'unknown', cause: 'gate-undecided' };
  const { gate, key, orderId } = answered;
  const { approvalCode, ...references } = acquirerReferences(gate, key, orderId);
  const { payerAuthentication, decidedAt } = decided;
  const receipt: AcquirerReferences = {
    processedAt: decidedAt,
    ...references,
    ...(payerAuthentication === undefined ? {} : { payerAuthentication }),
    ...(payerAuthentication === 'AUTHENTICATED' ? { eci: ECI_AUTHENTICATED } : {}),
  };
  if (decided.status === 'approved') return { kind: 'approved', approvalCode, ...receipt, ...heldFor(answered) };
  const advice = ADVICE.get(decided.code);
  return { kind: 'declined', code: decided.code, ...(advice === undefined ? {} : { advice }), ...receipt };
};

const payerNeeded = ({ gate, key, orderId, payerReturnUrl }: Transaction, pageUrl: AuthenticationPageUrl): PayerNeeded => {
  if (payerReturnUrl === undefined) throw new Error(`attempt ${key} waits for a payer who has no return address`);
  const { transactionId } = acquirerReferences(gate, key, orderId);
  return { kind: 'payer-needed', page: { action: pageUrl(key), fields: { TermUrl: payerReturnUrl } }, transactionId };
};

export const chargeAnswer = (transaction: Transaction, at: Instant, pageUrl: AuthenticationPageUrl): ChargeAnswer => {
  const { state } = transaction;
  if (state.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (state.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, state, at);
};

/** A gate keeps no record of a refused request, so its inquiry returns `not-found`. */
export const inquiryAnswer = (transaction: Transaction | undefined, at: Instant, pageUrl: AuthenticationPageUrl): InquiryAnswer => {
  if (transaction === undefined || transaction.state.status === 'refused') return { kind: 'not-found' };
  if (transaction.state.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, transaction.state, at);
};

export const followUpAnswer = (followUp: FollowUpTransaction | undefined, at: Instant): FollowUpAnswer =>
  followUp === undefined ? { kind: 'not-asked', cause: 'refused-by-gate' } : decidedAnswer(followUp, followUp.state, at);

export const followUpInquiryAnswer = (followUp: FollowUpTransaction, at: Instant): InquiryAnswer =>
  decidedAnswer(followUp, followUp.state, at);

export const completionAnswer = (transaction: Transaction | undefined, at: Instant): Exclude<ChargeAnswer, PayerNeeded> => {
  if (transaction === undefined || transaction.state.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (transaction.state.status === 'payer-pending')
    throw new Error(`attempt ${transaction.key} was completed and still waits for its payer`);
  return decidedAnswer(transaction, transaction.state, at);
};
