declare const brand: unique symbol;

/** A primitive with a nominal type. Create it with its validator, or with a cast at a trusted boundary. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

/** Identifies the tenant everywhere (interface, section 2.2). */
export type MerchantLogin = Brand<string, 'MerchantLogin'>;
/** Endpoint id of a single-currency integration (interface, section 2.1); digits. */
export type EndpointId = Brand<string, 'EndpointId'>;
/** Endpoint group id of a multi-currency integration; digits. */
export type EndpointGroupId = Brand<string, 'EndpointGroupId'>;
/** Assigned by the merchant: `client_orderid` of Group A, `invoiceId` of Group B. */
export type ClientOrderId = Brand<string, 'ClientOrderId'>;
/**
 * Ten digits within a signed 32-bit integer, or 16 characters `[a-z0-9]`: the first is the kind, the last is `r`
 * (protocol decisions, section 5).
 */
export type OrderId = Brand<string, 'OrderId'>;
/** 20 characters `[a-z0-9]`, starts with a letter, ends with `c`. Belongs to one order of one merchant. */
export type CardRefId = Brand<string, 'CardRefId'>;
/** Unique per request, also over restarts: `00000000-0000-0000-0000-` and 12 hex digits. */
export type SerialNumber = Brand<string, 'SerialNumber'>;
/** `[a-z0-9-]{1,64}`, never `status`. */
export type GateAlias = Brand<string, 'GateAlias'>;
/** One attempt at one gate. The gate submits at most once per key. */
export type AttemptKey = Brand<string, 'AttemptKey'>;
/** One run of one process. */
export type BootId = Brand<string, 'BootId'>;
export type CardHandle = Brand<string, 'CardHandle'>;
/** The public id of a card number per merchant (`unq-card-ref-id`): 20 random characters. */
export type CardUid = Brand<string, 'CardUid'>;
export type ContentDigest = Brand<string, 'ContentDigest'>;
export type EmailDigest = Brand<string, 'EmailDigest'>;
/** Ciphertext under an order's key. Reads as `[erased]` after the key is erased. */
export type Sealed = Brand<string, 'Sealed'>;

export const ORDER_KINDS = { p: 'payment', r: 'recurring', v: 'deviceVerification', t: 'transfer' } as const;
export type OrderKindLetter = keyof typeof ORDER_KINDS;
export type OrderKind = (typeof ORDER_KINDS)[OrderKindLetter];

export const ORDER_NUMBER_LENGTH = 10;
export const ORDER_NUMBER_FIRST = 1_000_000_000;
export const ORDER_NUMBER_LAST = 2_147_483_647;
const ORDER_NUMBER = /^[12]\d{9}$/;
const ORDER_TEXT = /^[prvt][a-z0-9]{14}r$/;
const CARD_REF_ID = /^[a-z][a-z0-9]{18}c$/;
const NINE_DIGITS = /\d{9}/;

/** Checks the format only. Its kind needs the service key; the log shows whether it was issued. */
export const isOrderNumber = (text: string): text is OrderId => ORDER_NUMBER.test(text) && Number(text) <= ORDER_NUMBER_LAST;
export const isOrderId = (text: string): text is OrderId => isOrderNumber(text) || (ORDER_TEXT.test(text) && !NINE_DIGITS.test(text));
export const isCardRefId = (text: string): text is CardRefId => CARD_REF_ID.test(text) && !NINE_DIGITS.test(text);
export const textOrderKind = (id: OrderId): OrderKind => ORDER_KINDS[id[0] as OrderKindLetter];

const LETTERS = new Map(Object.entries(ORDER_KINDS).map(([letter, kind]) => [kind, letter as OrderKindLetter]));
export const orderKindLetter = (kind: OrderKind): OrderKindLetter => {
  const letter = LETTERS.get(kind);
  if (letter === undefined) throw new Error(`no letter for the kind ${String(kind)}`);
  return letter;
};

export interface OrderIds {
  /**
   * Usually synchronous.
   * @throws StoreUnavailable, OutcomeUnknown if ids cannot be reserved
   */
  next(kind: OrderKind): OrderId | Promise<OrderId>;
  kindOf(id: OrderId): OrderKind;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Unbiased characters `[a-z0-9]`; undefined if too few bytes remain after bytes of 252 and more are skipped. */
const base36 = (bytes: Uint8Array, length: number): string | undefined => {
  let text = '';
  for (const byte of bytes) {
    if (byte < 252) text += ALPHABET[byte % 36];
    if (text.length === length) return text;
  }
  return undefined;
};

/** A random order id (72 bits). Draws again if it has nine digits in a row, which could be a card number. */
export const makeOrderId = (kind: OrderKindLetter, randomBytes: (size: number) => Uint8Array): OrderId => {
  for (let round = 0; round < 100; round++) {
    const id = `${kind}${base36(randomBytes(24), 14) ?? ''}r`;
    if (isOrderId(id)) return id;
  }
  throw new Error('the random source repeats itself: no order id in 100 rounds');
};

/** `bytes` are derived under the service key. If it returns `undefined`, try the next derivation. */
export const cardRefIdFrom = (bytes: Uint8Array): CardRefId | undefined => {
  const middle = base36(bytes.subarray(1), 18);
  if (middle === undefined) return undefined;
  const first = bytes[0] ?? 255;
  const id = `${ALPHABET[10 + (first % 26)]}${middle}c`;
  return first < 234 && isCardRefId(id) ? id : undefined;
};
