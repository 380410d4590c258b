import { resultCode, type Instant } from '@app/kernel';
import type { Approved, Declined, InquiryAnswer, SentRequest, Unknown } from '../contract';
import type { AcquirerAnswer, AcquirerPayment } from './wire';

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };

/** The acquirer's reasons as our codes (protocol decisions, section 4); any other reason is a plain decline. */
const CODES: ReadonlyMap<string, number> = new Map([
  ['insufficient-funds', resultCode('insufficient-funds')],
  ['do-not-honour', resultCode('do-not-honour')],
]);

/** An answer about another payment or another sum decides nothing. */
const isAbout = (payment: AcquirerPayment, { key, amount }: SentRequest): boolean =>
  payment.reference === key && payment.amount === String(amount?.minor) && payment.currency === amount?.currency;

const processedAt = ({ processedAt: told }: AcquirerPayment, seenAt: Instant): Instant => {
  const at = Date.parse(told ?? '');
  return Number.isNaN(at) ? seenAt : (at as Instant);
};

const approved = (payment: AcquirerPayment, seenAt: Instant): Approved => ({
  kind: 'approved',
  transactionId: payment.id,
  processedAt: processedAt(payment, seenAt),
  approvalCode: payment.authorisationCode ?? '',
});

const declined = (payment: AcquirerPayment, seenAt: Instant): Declined => ({
  kind: 'declined',
  transactionId: payment.id,
  processedAt: processedAt(payment, seenAt),
  code: CODES.get(payment.reason ?? '') ?? resultCode('do-not-honour'),
});

/** Translates the acquirer's answer; an unknown state is not final. */
export const outcomeOf = (answer: AcquirerAnswer, sent: SentRequest, seenAt: Instant): Exclude<InquiryAnswer, { kind: 'payer-needed' }> => {
  if (answer.kind === 'unknown-payment') return { kind: 'not-found' };
  if (answer.kind === 'unrecognised' || !isAbout(answer.payment, sent)) return UNRECOGNISED;
  const { payment } = answer;
  switch (payment.state) {
    case 'approved':
      return approved(payment, seenAt);
    case 'declined':
      return declined(payment, seenAt);
    default:
      return UNDECIDED;
  }
};
