import { LIST_LENGTH_MAX, readJsonText } from '@app/gateway-protocol';
import type { Unknown } from '../../contract';

export interface AnsweredFee {
  readonly assignedId: string;
  readonly commissionCentis: bigint;
  readonly currency: string;
}

/** The members of a Group B answer. Absent or wrongly typed members are undefined (interface, sections 2.6, 4.5 and 4.7). */
export interface DeviceAnswer {
  readonly invoiceId: string | undefined;
  readonly token: string | undefined;
  readonly state: string | undefined;
  readonly bankOrderId: string | undefined;
  readonly orderId: string | undefined;
  readonly redirectUrl: string | undefined;
  readonly errorCode: number | undefined;
  /** `secure3DAuthStatus`. */
  readonly payerAuthentication: string | undefined;
  /** `transactionCreatedDate`. */
  readonly createdAt: string | undefined;
  readonly amountCentis: bigint | undefined;
  readonly currency: string | undefined;
  readonly commissionCentis: bigint | undefined;
  readonly fees: readonly AnsweredFee[] | undefined;
  readonly error: { readonly cause: string | undefined } | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const NOTHING: Members = {};
const DIGITS = /^\d{1,15}$/;
const CODE = /^\d{1,6}$/;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const objectIn = (value: unknown): Members => (isObject(value) ? value : NOTHING);

/** Gateways of the family write ids and codes as text or as numbers. */
const textIn = (value: unknown): string | undefined => {
  if (Number.isSafeInteger(value)) return String(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
};

const centisIn = (value: unknown): bigint | undefined => {
  const digits = textIn(value);
  return digits !== undefined && DIGITS.test(digits) ? BigInt(digits) : undefined;
};

const codeIn = (value: unknown): number | undefined => {
  const digits = textIn(value);
  return digits !== undefined && CODE.test(digits) ? Number(digits) : undefined;
};

const feeIn = (value: unknown): AnsweredFee | undefined => {
  const fee = objectIn(value);
  const assignedId = textIn(fee['assignedId']);
  const commissionCentis = centisIn(fee['commissionCentis']);
  const currency = textIn(fee['currency']);
  if (assignedId === undefined || commissionCentis === undefined || currency === undefined) return undefined;
  return { assignedId, commissionCentis, currency };
};

const feesIn = (value: unknown): readonly AnsweredFee[] | undefined => {
  if (!Array.isArray(value) || value.length === 0 || value.length > LIST_LENGTH_MAX) return undefined;
  const fees = value.map(feeIn).filter((fee) => fee !== undefined);
  return fees.length === value.length ? fees : undefined;
};

export const readDeviceAnswer = (body: string): DeviceAnswer | undefined => {
  const json = readJsonText(body.trim());
  if ('refused' in json || !isObject(json.ok)) return undefined;
  const answer = json.ok;
  const transaction = objectIn(answer['transaction']);
  const { error } = answer;
  return {
    invoiceId: textIn(answer['invoiceId']),
    token: textIn(objectIn(answer['session'])['token']),
    state: textIn(answer['state']),
    bankOrderId: textIn(answer['bankOrderId']),
    orderId: textIn(answer['orderId']),
    redirectUrl: textIn(answer['redirectUrl']),
    errorCode: codeIn(answer['errorCode']),
    payerAuthentication: textIn(answer['secure3DAuthStatus']),
    createdAt: textIn(transaction['transactionCreatedDate']),
    amountCentis: centisIn(transaction['amountCentis']),
    currency: textIn(transaction['currency']),
    commissionCentis: centisIn(transaction['commissionCentis']),
    fees: feesIn(answer['transferFeeList']),
    error: error === undefined || error === null ? undefined : { cause: textIn(objectIn(error)['cause']) },
  };
};

interface Performed {
  readonly kind: 'performed';
  readonly token: string;
}

/** The request was refused. An earlier order of the same invoice may still exist there. */
interface Refused {
  readonly kind: 'refused';
}

const REFUSALS: ReadonlySet<string | undefined> = new Set(['INVALID_REQUEST', 'INVALID_CONFIGURATION']);

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** The answer to perform and to complete (interface, sections 4.5 and 7.2). `unknown` unless it accepts or refuses exactly this invoice. */
export const readPerformed = (answer: DeviceAnswer | undefined, invoiceId: string): Performed | Refused | Unknown => {
  if (answer === undefined) return UNRECOGNISED;
  const { error, token } = answer;
  if (error !== undefined) {
    const isAbout = answer.invoiceId === undefined || answer.invoiceId === invoiceId;
    if (!isAbout) return UNRECOGNISED;
    return REFUSALS.has(error.cause) ? { kind: 'refused' } : { kind: 'unknown', cause: 'gate-undecided' };
  }
  return answer.invoiceId === invoiceId && token !== undefined ? { kind: 'performed', token } : UNRECOGNISED;
};
