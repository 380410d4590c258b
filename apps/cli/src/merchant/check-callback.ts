import { callbackControl, FORM_REQUEST_TYPE, isControl, isWebhookAuthentic, type WebhookHeaders } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import type { Merchant } from '@app/configuration';

export interface CallbackParts {
  readonly method: string;
  /** Without its question mark; ignored for a POST. */
  readonly query: string;
  /** Of the body; empty if none was sent. */
  readonly contentType: string;
  readonly body: string;
  readonly headers: Partial<WebhookHeaders>;
}

export interface CheckedCallback {
  readonly members: ReadonlyMap<string, string>;
  /** The merchant whose key made the checksum; undefined where none did. */
  readonly merchant: string | undefined;
  /** `not-signed` where the merchant has no secret, and where there is no merchant. */
  readonly signature: 'good' | 'wrong' | 'not-signed';
}

export type CallbackMerchant = Pick<Merchant, 'login' | 'controlKey' | 'callback'>;

/** The members of a GET follow the address's own query: the first member occurs once, and no value holds an unencoded ampersand. A form body has only the members. */
const MEMBERS_BEGIN = /(?:^|&)(?=status=)/g;

const readForm = (form: string): readonly { readonly text: string; readonly members: ReadonlyMap<string, string> }[] =>
  [...form.matchAll(MEMBERS_BEGIN)].slice(-1).map(({ 0: gap, index }) => {
    const text = form.slice(index + gap.length);
    return { text, members: new Map(new URLSearchParams(text)) };
  });

const readJson = (text: string): readonly { readonly text: string; readonly members: ReadonlyMap<string, string> }[] => {
  try {
    const value = JSON.parse(text) as unknown;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
    return [{ text, members: new Map(Object.entries(value).map(([name, member]) => [name, String(member)])) }];
  } catch {
    return [];
  }
};

const isMadeBy = ({ controlKey }: CallbackMerchant, members: ReadonlyMap<string, string>): boolean => {
  const text = (name: string): string => members.get(name) ?? '';
  const named = { status: text('status'), orderId: text('orderid'), clientOrderId: text('client_orderid') };
  return isControl(callbackControl(named, controlKey), text('control'));
};

/** The checks of a merchant's server: the checksum by the merchant's key, and the signature where the merchant has a secret. Undefined for any other request. */
export const checkCallback = (
  { method, query, contentType, body, headers }: CallbackParts,
  merchants: readonly CallbackMerchant[],
  now: Instant,
): CheckedCallback | undefined => {
  const isForm = contentType.toLowerCase().startsWith(FORM_REQUEST_TYPE);
  const read = method === 'GET' ? readForm(query) : isForm ? readForm(body) : readJson(body);
  for (const { text, members } of read) {
    const merchant = merchants.find((one) => isMadeBy(one, members));
    if (merchant === undefined) continue;
    const { secret } = merchant.callback;
    const signature = secret === undefined ? 'not-signed' : isWebhookAuthentic(headers, text, secret, now) ? 'good' : 'wrong';
    return { members, merchant: merchant.login, signature };
  }
  const [first] = read;
  return first && { members: first.members, merchant: undefined, signature: 'not-signed' };
};
