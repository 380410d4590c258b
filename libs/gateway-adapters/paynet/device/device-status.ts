import { isWebAddress } from '@app/gateway-protocol';
import { present, resultCode, type Instant, type Money } from '@app/kernel';
import type { AcquirerReferences, Approved, Declined, PayerAuthentication, PayerNeeded, Unknown } from '../../contract';
import type { Undecided } from '../translation/status';
import { readUpstreamDate } from '../wire/answer-fields';
import type { AnsweredFee, DeviceAnswer } from './device-answer';

export interface ExpectedDevice {
  readonly invoiceId: string;
  readonly token: string;
  readonly amount?: Money | undefined;
  readonly seenAt: Instant;
}

export type DeviceOutcome =
  | Undecided
  | PayerNeeded
  | { readonly kind: 'choice-awaited'; readonly fees: readonly AnsweredFee[] }
  | Approved
  | Declined
  | { readonly kind: 'not-found' }
  | Unknown;

const REDIRECT_CHARACTERS_MAX = 2_048;
const UNDECIDED: DeviceOutcome = { kind: 'undecided', gateOrderId: undefined };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

const AUTHENTICATIONS: Readonly<Record<string, PayerAuthentication>> = {
  AUTHENTICATED: 'AUTHENTICATED',
  NOT_AUTHENTICATED: 'NOT_AUTHENTICATED',
  UNSUPPORTED: 'UNSUPPORTED',
};
const authenticationOf = ({ payerAuthentication = '' }: DeviceAnswer): PayerAuthentication | undefined =>
  Object.hasOwn(AUTHENTICATIONS, payerAuthentication) ? AUTHENTICATIONS[payerAuthentication] : undefined;

const referencesOf = (answer: DeviceAnswer, { invoiceId, seenAt }: ExpectedDevice): AcquirerReferences => {
  const { bankOrderId, orderId, createdAt } = answer;
  return {
    transactionId: bankOrderId ?? orderId ?? invoiceId,
    processedAt: readUpstreamDate(createdAt) ?? seenAt,
    ...present({ payerAuthentication: authenticationOf(answer), gateOrderId: orderId }),
  };
};

const declinedAs = (code: number, answer: DeviceAnswer, expected: ExpectedDevice): Declined => ({
  kind: 'declined',
  code,
  ...referencesOf(answer, expected),
});

/**
 * Causes of an order that ended without the acquirer (protocol decisions, section 8). Any other cause decides nothing; a final one must
 * name the order.
 */
const refusalOutcome = (answer: DeviceAnswer, expected: ExpectedDevice): DeviceOutcome => {
  const { error, invoiceId } = answer;
  if (invoiceId !== undefined && invoiceId !== expected.invoiceId) return UNRECOGNISED;
  const ended = (code: number): DeviceOutcome => (invoiceId === undefined ? UNRECOGNISED : declinedAs(code, answer, expected));
  switch (error?.cause) {
    case 'FILTERED':
      return ended(resultCode('filtered-by-screening'));
    case 'PROCESSING_FAILED':
      return ended(resultCode('do-not-honour'));
    case 'ORDER_NOT_FOUND':
      return { kind: 'not-found' };
    case 'INTERNAL_ERROR':
      return UNDECIDED;
    case undefined:
    default:
      return UNRECOGNISED;
  }
};

/** An answer about another order or another sum decides nothing. */
const isAbout = ({ invoiceId, token, amountCentis, currency }: DeviceAnswer, expected: ExpectedDevice): boolean => {
  if (invoiceId !== expected.invoiceId || token !== expected.token) return false;
  const { amount } = expected;
  return amount === undefined || (amountCentis === amount.minor && (currency === undefined || currency === amount.currency));
};

const payerNeeded = ({ redirectUrl = '', bankOrderId, orderId }: DeviceAnswer, { invoiceId }: ExpectedDevice): DeviceOutcome => {
  if (redirectUrl.length > REDIRECT_CHARACTERS_MAX || !isWebAddress(redirectUrl)) return UNDECIDED;
  return { kind: 'payer-needed', page: { address: redirectUrl }, transactionId: bankOrderId ?? orderId ?? invoiceId, isHosted: true };
};

const choiceAwaited = ({ fees = [] }: DeviceAnswer, { amount }: ExpectedDevice): DeviceOutcome => {
  const isOffer = fees.length > 0 && fees.every(({ currency }) => currency === amount?.currency);
  return isOffer ? { kind: 'choice-awaited', fees } : UNRECOGNISED;
};

/**
 * Reads a status answer (interface, sections 3.2 and 4.7). An unknown state, another order or another sum is `unrecognised-answer`, which
 * alerts operators.
 * @param answer undefined for a body that is not an answer of the interface
 */
export const readDeviceStatus = (answer: DeviceAnswer | undefined, expected: ExpectedDevice): DeviceOutcome => {
  if (answer === undefined) return UNRECOGNISED;
  if (answer.error !== undefined) return refusalOutcome(answer, expected);
  if (!isAbout(answer, expected)) return UNRECOGNISED;
  const { commissionCentis: minor } = answer;
  switch (answer.state) {
    case 'PROCESSING':
      return UNDECIDED;
    case 'REDIRECT_REQUEST':
      return payerNeeded(answer, expected);
    case 'TRANSFER_FEE_REQUEST':
      return choiceAwaited(answer, expected);
    case 'APPROVED': {
      const commission = minor === undefined || expected.amount === undefined ? undefined : { minor, currency: expected.amount.currency };
      return { kind: 'approved', ...referencesOf(answer, expected), ...present({ commission }) };
    }
    case 'DECLINED':
      return declinedAs(answer.errorCode ?? resultCode('do-not-honour'), answer, expected);
    case undefined:
    default:
      return UNRECOGNISED;
  }
};
