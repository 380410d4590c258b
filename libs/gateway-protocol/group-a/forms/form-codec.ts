import { isAscii, isUtf8 } from 'node:buffer';
import { trimmed } from '../../shared/request-texts';

const NEEDS_NO_ESCAPE = /^[A-Za-z0-9*\-._]*$/;
const LEFT_BY_ENCODE_URI_COMPONENT = /%20|[!'()~]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

const escapeOf = (found: string): string => (found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

/** application/x-www-form-urlencoded in UTF-8. A lone surrogate becomes U+FFFD. */
export const encodeComponent = (text: string): string =>
  NEEDS_NO_ESCAPE.test(text)
    ? text
    : encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replace(LEFT_BY_ENCODE_URI_COMPONENT, escapeOf);

export type DecodingFault = 'bad-percent-encoding' | 'invalid-utf8';

/** Strict: invalid escapes and invalid UTF-8 are refused, never repaired. */
export const decodeComponent = (text: string): { readonly ok: string } | { readonly fault: DecodingFault } => {
  const withBlanks = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!withBlanks.includes('%')) return { ok: withBlanks };
  try {
    return { ok: decodeURIComponent(withBlanks) };
  } catch {
    return { fault: BAD_ESCAPE.test(withBlanks) ? 'bad-percent-encoding' : 'invalid-utf8' };
  }
};

/** The unique parameters of a request. A Map, because a parameter may be named `__proto__` (safety, T25). */
export class Form implements Iterable<readonly [name: string, raw: string]> {
  readonly #raw: ReadonlyMap<string, string>;

  /** Does not copy the map. Use `parseForm` for network input. */
  constructor(raw: ReadonlyMap<string, string>) {
    this.#raw = raw;
  }

  static of(pairs: Iterable<readonly [name: string, raw: string]>): Form {
    return new Form(new Map(pairs));
  }

  /** Decoded, with white space, as OAuth signs it (protocol decisions, section 4). */
  raw(name: string): string | undefined {
    return this.#raw.get(name);
  }

  /** Trimmed; empty if absent, as in a control string (protocol decisions, section 4). */
  text(name: string): string {
    const raw = this.#raw.get(name);
    return raw === undefined ? '' : trimmed(raw);
  }

  [Symbol.iterator](): IterableIterator<[name: string, raw: string]> {
    return this.#raw[Symbol.iterator]();
  }
}

/** Per request (safety, T29). */
export const PARAMETERS_MAX = 1_000;

export type MalformedReason =
  DecodingFault | 'nul-byte' | 'parameter-twice' | 'too-many-parameters' | 'wrong-content-type' | 'wrong-charset';

/** Refused with code 1 before any other check (protocol decisions, section 3). */
export interface MalformedForm {
  readonly kind: 'malformed';
  readonly reason: MalformedReason;
  readonly field?: string;
  /** For the merchant's developer. Contains no input except `field`. */
  readonly message: string;
}

const MESSAGES: Readonly<Record<MalformedReason, string>> = {
  'bad-percent-encoding': 'Percent-encoding is broken',
  'invalid-utf8': 'Text is not UTF-8',
  'nul-byte': 'A NUL byte is not allowed',
  'parameter-twice': 'A parameter is given twice',
  'too-many-parameters': `More than ${PARAMETERS_MAX} parameters`,
  'wrong-content-type': 'Content-Type must be application/x-www-form-urlencoded',
  'wrong-charset': 'The charset of the Content-Type must be UTF-8: encode the form as UTF-8',
};

// The sender chooses the name, which may be long or a card number.
const SAFE_TO_REPEAT = /^(?!.*\d{9})[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const malformed = (reason: MalformedReason, name?: string): MalformedForm =>
  name !== undefined && SAFE_TO_REPEAT.test(name)
    ? { kind: 'malformed', reason, field: name, message: `${MESSAGES[reason]}: ${name}` }
    : { kind: 'malformed', reason, message: MESSAGES[reason] };

export type ParsedForm = { readonly ok: Form } | { readonly refused: MalformedForm };

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const refused = (reason: MalformedReason, name?: string): ParsedForm => ({ refused: malformed(reason, name) });

/**
 * Strict: ambiguous input is refused (protocol decisions, section 3; safety, T22). Empty pairs (`a=1&&b=2`) are
 * ignored. The caller limits the size.
 */
export const parseForm = (body: Uint8Array): ParsedForm => {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // As part of the first name, a byte order mark would hide that field.
  const bytes = whole.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? whole.subarray(BYTE_ORDER_MARK.length) : whole;
  if (bytes.includes(0)) return refused('nul-byte');
  const isPlain = isAscii(bytes);
  if (!isPlain && !isUtf8(bytes)) return refused('invalid-utf8');
  const source = isPlain ? bytes.toString('latin1') : bytes.toString('utf8');
  const values = new Map<string, string>();
  let parameters = 0;
  for (let start = 0; start < source.length;) {
    const ampersand = source.indexOf('&', start);
    const end = ampersand < 0 ? source.length : ampersand;
    if (++parameters > PARAMETERS_MAX) return refused('too-many-parameters');
    if (end > start) {
      const pair = source.slice(start, end);
      const equals = pair.indexOf('=');
      const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals));
      if ('fault' in name) return refused(name.fault);
      const value = decodeComponent(equals < 0 ? '' : pair.slice(equals + 1));
      if ('fault' in value) return refused(value.fault, name.ok);
      if (name.ok.includes('\0') || value.ok.includes('\0')) return refused('nul-byte', name.ok);
      if (values.has(name.ok)) return refused('parameter-twice', name.ok);
      values.set(name.ok, value.ok);
    }
    start = end + 1;
  }
  return { ok: new Form(values) };
};

/** For clients, and for callbacks by GET. Undefined values are omitted. */
export const encodeForm = (pairs: Iterable<readonly [name: string, value: string | undefined]>): string => {
  let body = '';
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    body += `${body === '' ? '' : '&'}${encodeComponent(name)}=${encodeComponent(value)}`;
  }
  return body;
};
