import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@app/kernel';
import type { GateRequest } from '../client';
import type { ChargeRequest, InboundRequest } from '../contract';

export interface AcquirerPayment {
  readonly reference: string;
  readonly id: string;
  readonly state: string;
  /** Minor units. */
  readonly amount: string;
  readonly currency: string;
  readonly authorisationCode?: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly processedAt?: string;
}

export type AcquirerAnswer =
  | { readonly kind: 'payment'; readonly payment: AcquirerPayment }
  | { readonly kind: 'unknown-payment' }
  | { readonly kind: 'unrecognised' };

const UNKNOWN_PAYMENT = 'unknown-payment';
const OPTIONAL = ['authorisationCode', 'reason', 'processedAt'] as const;
const REQUIRED = ['reference', 'id', 'state', 'amount', 'currency'] as const;

const headersOf = (apiKey: Secret<string>): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${apiKey.reveal()}`,
  accept: 'application/json',
});

/** `POST /payments`: the acquirer executes each reference once. */
export const createPayment = (
  { key, amount, card, cvv, descriptor, notificationUrl }: ChargeRequest,
  apiKey: Secret<string>,
): GateRequest => {
  const { number, expiryMonth, expiryYear, holder } = card.reveal();
  return {
    method: 'POST',
    path: '/payments',
    headers: { ...headersOf(apiKey), 'content-type': 'application/json' },
    body: JSON.stringify({
      reference: key,
      amount: String(amount.minor),
      currency: amount.currency,
      descriptor,
      notificationUrl,
      card: { number, expiryMonth, expiryYear, holder, securityCode: cvv?.reveal() },
    }),
  };
};

/** `GET /payments/{reference}`: changes nothing. */
export const findPayment = (reference: string, apiKey: Secret<string>): GateRequest => ({
  method: 'GET',
  path: `/payments/${encodeURIComponent(reference)}`,
  headers: headersOf(apiKey),
});

const objectIn = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
};

/** Any deviation from the acquirer's documentation is `unrecognised`. */
export const readAnswer = (status: number, body: string): AcquirerAnswer => {
  const read = objectIn(body);
  if (read === undefined) return { kind: 'unrecognised' };
  if (status === 404 && read['error'] === UNKNOWN_PAYMENT) return { kind: 'unknown-payment' };
  const isPayment =
    status === 200 &&
    REQUIRED.every((name) => typeof read[name] === 'string') &&
    OPTIONAL.every((name) => read[name] === undefined || typeof read[name] === 'string');
  return isPayment ? { kind: 'payment', payment: read as unknown as AcquirerPayment } : { kind: 'unrecognised' };
};

/** Checks the header: the HMAC-SHA-256 of the body in hexadecimal. */
export const isFromAcquirer = ({ headers, body }: InboundRequest, notificationKey: Secret<string>): boolean => {
  const expected = createHmac('sha256', notificationKey.reveal()).update(body, 'utf8').digest();
  const told = Buffer.from(headers.get('x-signature') ?? '', 'hex');
  return told.length === expected.length && timingSafeEqual(told, expected);
};

/** A notification has the form of an answer: the payment's current state. */
export const readNotification = ({ body }: InboundRequest): AcquirerAnswer => readAnswer(200, body);
