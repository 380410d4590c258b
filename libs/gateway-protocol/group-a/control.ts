import { createHmac, hash } from 'node:crypto';
import type { Form } from './forms/form-codec';
import { trimmed } from '../shared/request-texts';
import { controlKeyBytes, type ControlKey, isSameHex } from '../shared/control-key';

/** The text of a checksum, in which a missing value is empty. */
export type SignedFields = Pick<Form, 'text'>;

const UNSIGNED = 'control';

/**
 * The values as they were decoded, white space included: clients that do not trim our answers send an id back with the line feed behind it, and sign
 * it so. The checksum itself stays trimmed. Undefined where trimming changes no value: there is nothing else to be tried.
 */
export const fieldsAsDecoded = (form: Form): SignedFields | undefined => {
  for (const [name, raw] of form) {
    if (name !== UNSIGNED && trimmed(raw) !== raw)
      return { text: (asked) => (asked === UNSIGNED ? form.text(asked) : (form.raw(asked) ?? '')) };
  }
  return undefined;
};

/** SHA-1 is the interface's choice and stays in this file (safety, T4). */
const sha1 = (text: string, key: ControlKey): string => hash('sha1', text + key.reveal(), 'hex');

/** HMAC-SHA1 in upper-case hexadecimal: what Group B signs with (interface, section 5.3; protocol decisions, section 5). */
export const hmacSha1 = (text: string, key: ControlKey): string =>
  createHmac('sha1', controlKeyBytes(key)).update(text, 'utf8').digest('hex').toUpperCase();

/** All values decoded and trimmed, a missing one as an empty text (protocol decisions, section 4). */
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
  /** The end point id or group id of the path. */
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

/** The merchant's setting `rebillControl`; which one is meant the interface leaves open (section 5.1), so it is a setting. */
export type RebillControl = 'with-endpoint' | 'without-endpoint' | 'either';

/** Create-card-ref v2, order status, void, and capture or return without amount: they sign one text (safety, section 3.1). */
export const orderControl = ({ login, clientOrderId, orderId }: OrderNamed, key: ControlKey): string =>
  sha1(login + clientOrderId + orderId, key);

/** Capture and return with amount (protocol decisions, section 5). */
export const amountFollowUpControl = (named: OrderNamed, { amountMinor, currency }: AmountSigned, key: ControlKey): string =>
  sha1(named.login + named.clientOrderId + named.orderId + amountMinor.toString() + currency, key);

/** Get-card-info (interface, section 5.1). */
export const cardInfoControl = ({ login, cardRefId }: CardNamed, key: ControlKey): string => sha1(login + cardRefId, key);

const rebillText = ({ login, clientOrderId, cardRefId, amountMinor, currency }: RebillSigned): string =>
  login + clientOrderId + cardRefId + amountMinor.toString() + currency;

/** Recurrent payment: the step list of the interface, section 5.1, which names the end point first; or its field table, which does not. */
export const rebillControl = (signed: RebillSigned, key: ControlKey, form: Exclude<RebillControl, 'either'> = 'with-endpoint'): string =>
  sha1((form === 'with-endpoint' ? signed.entryPoint : '') + rebillText(signed), key);

/** Sale and preauth (protocol decisions, section 5). */
export const initialPaymentControl = ({ entryPoint, clientOrderId, amountMinor, email }: InitialPaymentSigned, key: ControlKey): string =>
  sha1(entryPoint + clientOrderId + amountMinor.toString() + email, key);

/** Account verification: as a sale, without the amount. */
export const accountVerificationControl = (
  { entryPoint, clientOrderId, email }: Omit<InitialPaymentSigned, 'amountMinor'>,
  key: ControlKey,
): string => sha1(entryPoint + clientOrderId + email, key);

/** Merchant callback and browser redirect (protocol decisions, section 6). It does not cover the amount: see the webhook signature. */
export const callbackControl = ({ status, orderId, clientOrderId }: CallbackSigned, key: ControlKey): string =>
  sha1(status + orderId + clientOrderId, key);

/** Whether the control that was sent is the one computed; clients write it in either case. In constant time (safety, T2). */
export const isControl = (computed: string, sent: string): boolean => isSameHex(computed, sent);

/** Verifies a recurrent payment under the merchant's setting. */
export const isRebillControl = (signed: RebillSigned, sent: string, key: ControlKey, accepted: RebillControl): boolean => {
  if (accepted !== 'either') return isControl(rebillControl(signed, key, accepted), sent);
  const isWithEndpoint = isControl(rebillControl(signed, key, 'with-endpoint'), sent);
  const isWithoutEndpoint = isControl(rebillControl(signed, key, 'without-endpoint'), sent);
  return isWithEndpoint || isWithoutEndpoint;
};
