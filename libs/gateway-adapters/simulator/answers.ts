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

/** The references of one transaction, the same whenever and from whichever process they are asked for. */
interface SimulatedReferences {
  readonly transactionId: string;
  /** 12 digits that are no card number: their check digit is wrong. */
  readonly rrn: string;
  /** 8 characters; the gate has one terminal. */
  readonly terminalId: string;
  /** 6 characters. */
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

/** Where the browser finds the simulated authentication page of one attempt. */
export type AuthenticationPageUrl = (key: AttemptKey) => string;

/** The issuer's advice to the payer, given for some of the declines. */
const ADVICE: ReadonlyMap<number, string> = new Map<number, string>([
  [resultCode('expired-card'), 'The card has expired. Please use another card.'],
  [resultCode('insufficient-funds'), 'There is not enough money on the card. Please top it up or use another card.'],
]);

/** Electronic Commerce Indicator of a payer who was authenticated. */
const ECI_AUTHENTICATED = '05';

/** The part of a card operation or a follow-up that its answer repeats. */
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

/** The answer to a charge, as the transaction stands at `at`. */
export const chargeAnswer = (transaction: Transaction, at: Instant, pageUrl: AuthenticationPageUrl): ChargeAnswer => {
  const { state } = transaction;
  if (state.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (state.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, state, at);
};

/** The answer to an inquiry; a gate keeps no trace of a request that it refused. */
export const inquiryAnswer = (transaction: Transaction | undefined, at: Instant, pageUrl: AuthenticationPageUrl): InquiryAnswer => {
  if (transaction === undefined || transaction.state.status === 'refused') return { kind: 'not-found' };
  if (transaction.state.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, transaction.state, at);
};

/** The answer to a follow-up; undefined is one that exceeds what the ledger has left. */
export const followUpAnswer = (followUp: FollowUpTransaction | undefined, at: Instant): FollowUpAnswer =>
  followUp === undefined ? { kind: 'not-asked', cause: 'refused-by-gate' } : decidedAnswer(followUp, followUp.state, at);

/** The answer to an inquiry about a follow-up. */
export const followUpInquiryAnswer = (followUp: FollowUpTransaction, at: Instant): InquiryAnswer =>
  decidedAnswer(followUp, followUp.state, at);

/** The answer to the second leg of 3-D Secure. */
export const completionAnswer = (transaction: Transaction | undefined, at: Instant): Exclude<ChargeAnswer, PayerNeeded> => {
  if (transaction === undefined || transaction.state.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (transaction.state.status === 'payer-pending')
    throw new Error(`attempt ${transaction.key} was completed and still waits for its payer`);
  return decidedAnswer(transaction, transaction.state, at);
};
