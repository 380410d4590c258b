import { createHmac, hash } from 'node:crypto';
import type { Form } from './forms/form-codec';
import { trimmed } from '../shared/request-texts';
import { controlKeyBytes, type ControlKey, isSameHex } from '../shared/control-key';

export type SignedFields = Pick<Form, 'text'>;

const UNSIGNED = 'control';

/**
 * Values with their white space, because some clients send and sign an id with our trailing line feed. Undefined if
 * trimming changes nothing.
 */
export const fieldsAsDecoded = (form: Form): SignedFields | undefined => {
  for (const [name, raw] of form) {
    if (name !== UNSIGNED && trimmed(raw) !== raw)
      return { text: (asked) => (asked === UNSIGNED ? form.text(asked) : (form.raw(asked) ?? '')) };
  }
  return undefined;
};

/** The interface requires SHA-1; do not use it outside this file (safety, T4). */
const sha1 = (text: string, key: ControlKey): string => hash('sha1', text + key.reveal(), 'hex');

/** Upper-case hexadecimal HMAC-SHA1 for Group B (interface, section 5.3; protocol decisions, section 5). */
export const hmacSha1 = (text: string, key: ControlKey): string =>
  createHmac('sha1', controlKeyBytes(key)).update(text, 'utf8').digest('hex').toUpperCase();

/** Decoded and trimmed values; a missing one is the empty text (protocol decisions, section 4). */
export interface OrderNamed {
  readonly login: string;
  readonly clientOrderId: string;
  readonly orderId: string;
}

export interface CardNamed {
  readonly login: string;
  readonly cardRefId: string;
}

export interface RebillSigned extends CardNamed {
  readonly entryPoint: string;
  readonly clientOrderId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

export interface InitialPaymentSigned {
  readonly entryPoint: string;
  readonly clientOrderId: string;
  readonly amountMinor: bigint;
  readonly email: string;
}

export interface AmountSigned {
  readonly amountMinor: bigint;
  readonly currency: string;
}

export interface CallbackSigned {
  readonly status: string;
  readonly orderId: string;
  readonly clientOrderId: string;
}

/** The merchant's setting `rebillControl`, because the interface is ambiguous here (section 5.1). */
export type RebillControl = 'with-endpoint' | 'without-endpoint' | 'either';

/**
 * For create-card-ref v2, order status, void, and capture or return without amount: they sign the same text (safety,
 * section 3.1).
 */
export const orderControl = ({ login, clientOrderId, orderId }: OrderNamed, key: ControlKey): string =>
  sha1(login + clientOrderId + orderId, key);

export const amountFollowUpControl = (named: OrderNamed, { amountMinor, currency }: AmountSigned, key: ControlKey): string =>
  sha1(named.login + named.clientOrderId + named.orderId + amountMinor.toString() + currency, key);

export const cardInfoControl = ({ login, cardRefId }: CardNamed, key: ControlKey): string => sha1(login + cardRefId, key);

const rebillText = ({ login, clientOrderId, cardRefId, amountMinor, currency }: RebillSigned): string =>
  login + clientOrderId + cardRefId + amountMinor.toString() + currency;

/** The interface, section 5.1, contradicts itself: its step list starts with the endpoint, its field table has none. */
export const rebillControl = (signed: RebillSigned, key: ControlKey, form: Exclude<RebillControl, 'either'> = 'with-endpoint'): string =>
  sha1((form === 'with-endpoint' ? signed.entryPoint : '') + rebillText(signed), key);

export const initialPaymentControl = ({ entryPoint, clientOrderId, amountMinor, email }: InitialPaymentSigned, key: ControlKey): string =>
  sha1(entryPoint + clientOrderId + amountMinor.toString() + email, key);

export const accountVerificationControl = (
  { entryPoint, clientOrderId, email }: Omit<InitialPaymentSigned, 'amountMinor'>,
  key: ControlKey,
): string => sha1(entryPoint + clientOrderId + email, key);

/**
 * Merchant callback and browser redirect (protocol decisions, section 6). It does not cover the amount; the webhook
 * signature does.
 */
export const callbackControl = ({ status, orderId, clientOrderId }: CallbackSigned, key: ControlKey): string =>
  sha1(status + orderId + clientOrderId, key);

/** Ignores case. Constant time (safety, T2). */
export const isControl = (computed: string, sent: string): boolean => isSameHex(computed, sent);

export const isRebillControl = (signed: RebillSigned, sent: string, key: ControlKey, accepted: RebillControl): boolean => {
  if (accepted !== 'either') return isControl(rebillControl(signed, key, accepted), sent);
  const isWithEndpoint = isControl(rebillControl(signed, key, 'with-endpoint'), sent);
  const isWithoutEndpoint = isControl(rebillControl(signed, key, 'without-endpoint'), sent);
  return isWithEndpoint || isWithoutEndpoint;
};
