declare const brand: unique symbol;

/** A primitive with a name, so that the compiler does not mix it with others; created by the function that validates it, or by a cast at a trusted border. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

/** The merchant's login name (interface, section 2.2): starts with a letter, at most 20 characters. It identifies the tenant everywhere. */
export type MerchantLogin = Brand<string, 'MerchantLogin'>;
/** An end point id of a single-currency integration (interface, section 2.1); digits. */
export type EndpointId = Brand<string, 'EndpointId'>;
/** An end point group id of a multi-currency integration; digits. */
export type EndpointGroupId = Brand<string, 'EndpointGroupId'>;
/** Assigned by the merchant: `client_orderid` of Group A, `invoiceId` of Group B. */
export type ClientOrderId = Brand<string, 'ClientOrderId'>;
/**
 * Assigned by this service: a number of ten digits that fits a signed integer of 32 bits, or 16 characters `[a-z0-9]` of which the first names the kind and the
 * last is `r` (protocol decisions, section 5).
 */
export type OrderId = Brand<string, 'OrderId'>;
/** 20 characters `[a-z0-9]`, starts with a letter, ends with `c`; belongs to one order of one merchant. */
export type CardRefId = Brand<string, 'CardRefId'>;
/** Unique per request, durable over restarts: `00000000-0000-0000-0000-` and 12 hex digits. */
export type SerialNumber = Brand<string, 'SerialNumber'>;
/** `[a-z0-9-]{1,64}`, never `status`. */
export type GateAlias = Brand<string, 'GateAlias'>;
/** Identifies one attempt at one gate; the gate submits at most once for it, and inquiries use it. */
export type AttemptKey = Brand<string, 'AttemptKey'>;
/** Identifies one run of one process, such as the one that holds a CVV. */
export type BootId = Brand<string, 'BootId'>;
/** Identifies a card in the vault. */
export type CardHandle = Brand<string, 'CardHandle'>;
/** The card number's public identity per merchant (`unq-card-ref-id`): 20 characters, random. */
export type CardUid = Brand<string, 'CardUid'>;
/** Keyed digest of a request's content, hex. */
export type ContentDigest = Brand<string, 'ContentDigest'>;
/** Keyed digest of a payer's e-mail address. */
export type EmailDigest = Brand<string, 'EmailDigest'>;
/** Ciphertext under an order's key; opened by the vault, `[erased]` once the key is. */
export type Sealed = Brand<string, 'Sealed'>;

/** The kinds of order, by the first letter of their id (protocol decisions, section 5). */
export const ORDER_KINDS = { p: 'payment', r: 'recurring', v: 'deviceVerification', t: 'transfer' } as const;
export type OrderKindLetter = keyof typeof ORDER_KINDS;
export type OrderKind = (typeof ORDER_KINDS)[OrderKindLetter];

export const ORDER_NUMBER_LENGTH = 10;
export const ORDER_NUMBER_FIRST = 1_000_000_000;
/** The largest value of a 32-bit integer column. */
export const ORDER_NUMBER_LAST = 2_147_483_647;
const ORDER_NUMBER = /^[12]\d{9}$/;
const ORDER_TEXT = /^[prvt][a-z0-9]{14}r$/;
const CARD_REF_ID = /^[a-z][a-z0-9]{18}c$/;
const NINE_DIGITS = /\d{9}/;

/** Whether a text has the form of a numeric order id; only the service's key reveals its kind, and only the log whether it was issued. */
export const isOrderNumber = (text: string): text is OrderId => ORDER_NUMBER.test(text) && Number(text) <= ORDER_NUMBER_LAST;
export const isOrderId = (text: string): text is OrderId => isOrderNumber(text) || (ORDER_TEXT.test(text) && !NINE_DIGITS.test(text));
export const isCardRefId = (text: string): text is CardRefId => CARD_REF_ID.test(text) && !NINE_DIGITS.test(text);
/** The kind of an order whose id is text. */
export const textOrderKind = (id: OrderId): OrderKind => ORDER_KINDS[id[0] as OrderKindLetter];

const LETTERS = new Map(Object.entries(ORDER_KINDS).map(([letter, kind]) => [kind, letter as OrderKindLetter]));
/** @throws Error where the value is no kind of order */
export const orderKindLetter = (kind: OrderKind): OrderKindLetter => {
  const letter = LETTERS.get(kind);
  if (letter === undefined) throw new Error(`no letter for the kind ${String(kind)}`);
  return letter;
};

/** Issues order ids that are unique in the installation, and reads the kind of an order from its id. */
export interface OrderIds {
  /** Returns without waiting in the usual case. @throws StoreUnavailable, OutcomeUnknown where ids cannot be reserved */
  next(kind: OrderKind): OrderId | Promise<OrderId>;
  kindOf(id: OrderId): OrderKind;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `length` unbiased characters `[a-z0-9]`, or undefined where the bytes do not suffice, since bytes of 252 and more are skipped. */
const base36 = (bytes: Uint8Array, length: number): string | undefined => {
  let text = '';
  for (const byte of bytes) {
    if (byte < 252) text += ALPHABET[byte % 36];
    if (text.length === length) return text;
  }
  return undefined;
};

/** A new random order id (72 bits), drawn again where it has nine digits in a row. */
export const makeOrderId = (kind: OrderKindLetter, randomBytes: (size: number) => Uint8Array): OrderId => {
  for (let round = 0; round < 100; round++) {
    const id = `${kind}${base36(randomBytes(24), 14) ?? ''}r`;
    if (isOrderId(id)) return id;
  }
  throw new Error('the random source repeats itself: no order id in 100 rounds');
};

/** A card reference from bytes that the caller derived under the service key; `undefined` asks for the next derivation. */
export const cardRefIdFrom = (bytes: Uint8Array): CardRefId | undefined => {
  const middle = base36(bytes.subarray(1), 18);
  if (middle === undefined) return undefined;
  const first = bytes[0] ?? 255;
  const id = `${ALPHABET[10 + (first % 26)]}${middle}c`;
  return first < 234 && isCardRefId(id) ? id : undefined;
};
