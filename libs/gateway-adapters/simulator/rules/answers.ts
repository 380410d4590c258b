import type {
  Approved,
  ChargeAnswer,
  Declined,
  FollowUpAnswer,
  InquiryAnswer,
  PayerNeeded,
  Receipted,
  Unknown,
} from '@app/gateway-adapters/contract';
import { resultCode, type AttemptKey, type Instant } from '@app/kernel';
import { acquirerReferences } from './acquirer-references';
import type { FollowUpTransaction } from '../ledger/follow-up-transaction';
import type { Decided, Transaction } from '../ledger/transaction';

/** Where the browser finds the simulated authentication page of one attempt. */
export type AuthenticationPageUrl = (key: AttemptKey) => string;

/** What the issuer advises the payer, for some of the declines. */
const ADVICE: ReadonlyMap<number, string> = new Map<number, string>([
  [resultCode('expired-card'), 'The card has expired. Please use another card.'],
  [resultCode('insufficient-funds'), 'There is not enough money on the card. Please top it up or use another card.'],
]);

/** Electronic Commerce Indicator of a payer who was authenticated. */
const ECI_AUTHENTICATED = '05';

/** What a card operation or a follow-up was asked, as far as the answer tells it. */
type Told = Pick<Transaction, 'gate' | 'key' | 'orderId' | 'amount' | 'commissionMinor' | 'randomSumMinor'>;

const heldFor = ({ amount: { currency }, commissionMinor, randomSumMinor }: Told): Pick<Receipted, 'commission' | 'randomSum'> => ({
  ...(commissionMinor === undefined ? {} : { commission: { minor: commissionMinor, currency } }),
  ...(randomSumMinor === undefined ? {} : { randomSum: { minor: randomSumMinor, currency } }),
});

const decidedAnswer = (told: Told, decided: Decided, at: Instant): Approved | Declined | Unknown => {
  if (decided.settlesAt !== undefined && at < decided.settlesAt) return { kind: 'unknown', cause: 'gate-undecided' };
  const { gate, key, orderId } = told;
  const { approvalCode, ...references } = acquirerReferences(gate, key, orderId);
  const { payerAuthentication, decidedAt } = decided;
  const receipt: Receipted = {
    processedAt: decidedAt,
    ...references,
    ...(payerAuthentication === undefined ? {} : { payerAuthentication }),
    ...(payerAuthentication === 'AUTHENTICATED' ? { eci: ECI_AUTHENTICATED } : {}),
  };
  if (decided.status === 'approved') return { kind: 'approved', approvalCode, ...receipt, ...heldFor(told) };
  const advice = ADVICE.get(decided.code);
  return { kind: 'declined', code: decided.code, ...(advice === undefined ? {} : { advice }), ...receipt };
};

const payerNeeded = ({ gate, key, orderId, payerReturnUrl }: Transaction, pageUrl: AuthenticationPageUrl): PayerNeeded => {
  if (payerReturnUrl === undefined) throw new Error(`attempt ${key} waits for a payer who has no way back`);
  const { transactionId } = acquirerReferences(gate, key, orderId);
  return { kind: 'payer-needed', page: { action: pageUrl(key), fields: { TermUrl: payerReturnUrl } }, transactionId };
};

/** The answer to a charge, as the transaction stands at `at`. */
export const chargeAnswer = (transaction: Transaction, at: Instant, pageUrl: AuthenticationPageUrl): ChargeAnswer => {
  const { standing } = transaction;
  if (standing.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (standing.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, standing, at);
};

/** The answer to an inquiry; what the gate refused it does not know. */
export const inquiryAnswer = (transaction: Transaction | undefined, at: Instant, pageUrl: AuthenticationPageUrl): InquiryAnswer => {
  if (transaction === undefined || transaction.standing.status === 'refused') return { kind: 'not-found' };
  if (transaction.standing.status === 'payer-pending') return payerNeeded(transaction, pageUrl);
  return decidedAnswer(transaction, transaction.standing, at);
};

/** The answer to a follow-up; undefined is one that the books have no room for. */
export const followUpAnswer = (followUp: FollowUpTransaction | undefined, at: Instant): FollowUpAnswer =>
  followUp === undefined ? { kind: 'not-asked', cause: 'refused-by-gate' } : decidedAnswer(followUp, followUp.standing, at);

/** The answer to an inquiry about a follow-up. */
export const followUpInquiryAnswer = (followUp: FollowUpTransaction, at: Instant): InquiryAnswer =>
  decidedAnswer(followUp, followUp.standing, at);

/** The answer to the second leg of 3-D Secure. */
export const completionAnswer = (transaction: Transaction | undefined, at: Instant): Exclude<ChargeAnswer, PayerNeeded> => {
  if (transaction === undefined || transaction.standing.status === 'refused') return { kind: 'not-asked', cause: 'refused-by-gate' };
  if (transaction.standing.status === 'payer-pending')
    throw new Error(`attempt ${transaction.key} was completed and still waits for its payer`);
  return decidedAnswer(transaction, transaction.standing, at);
};
