import type { PayerNeeded, Unknown } from '@app/gateway-adapters/contract';
import { isWebAddress } from '@app/gateway-protocol';
import type { Money } from '@app/kernel';
import type { AnsweredFee, DeviceAnswer } from '../wire/device-answer';

/** The order that was asked about, as the answer must name it. */
export interface ExpectedDevice {
  readonly invoiceId: string;
  readonly token: string;
  /** Undefined for a verification. */
  readonly amount: Money | undefined;
}

/** What the upstream gateway tells an app of its order. Of an end the order status of Group A has the acquirer's references, so that it is asked too. */
export type DeviceOutcome =
  | { readonly kind: 'undecided' }
  | PayerNeeded
  | { readonly kind: 'choice-awaited'; readonly fees: readonly AnsweredFee[] }
  | { readonly kind: 'ended'; readonly as: 'approved' | 'not-approved'; readonly commission: Money | undefined }
  | Unknown;

const REDIRECT_CHARACTERS_MAX = 2_048;
/** The causes of an order that ended without an acquirer's word (protocol decisions, section 8). */
const ENDED: ReadonlySet<string | undefined> = new Set(['FILTERED', 'PROCESSING_FAILED']);
const NOT_NOW: ReadonlySet<string | undefined> = new Set(['INTERNAL_ERROR', 'ORDER_NOT_FOUND']);

const UNDECIDED: DeviceOutcome = { kind: 'undecided' };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };
const NOT_APPROVED: DeviceOutcome = { kind: 'ended', as: 'not-approved', commission: undefined };

const refusalOutcome = ({ error }: DeviceAnswer): DeviceOutcome => {
  if (ENDED.has(error?.cause)) return NOT_APPROVED;
  return NOT_NOW.has(error?.cause) ? UNDECIDED : UNRECOGNISED;
};

/** Another order's answer, or one of another sum, decides nothing about this one. */
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
 * The upstream gateway's word to the app (interface, sections 3.2 and 4.7). A state that is not known is not final and is not recognised, which people
 * are told of; so is an answer about another order, or of another sum.
 * @param answer undefined for a body that is no answer of the interface
 */
export const readDeviceStatus = (answer: DeviceAnswer | undefined, expected: ExpectedDevice): DeviceOutcome => {
  if (answer === undefined) return UNRECOGNISED;
  if (answer.error !== undefined) return refusalOutcome(answer);
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
      return { kind: 'ended', as: 'approved', commission };
    }
    case 'DECLINED':
      return NOT_APPROVED;
    case undefined:
    default:
      return UNRECOGNISED;
  }
};
