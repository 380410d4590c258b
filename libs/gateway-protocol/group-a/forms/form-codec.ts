import { isAscii, isUtf8 } from 'node:buffer';
import { Form } from './form';
import { decodeComponent, encodeComponent, type DecodingFault } from './percent-encoding';

/** Parameters of one request (safety, T29). */
export const PARAMETERS_MAX = 1_000;

export type MalformedReason =
  DecodingFault | 'nul-byte' | 'parameter-twice' | 'too-many-parameters' | 'wrong-content-type' | 'wrong-charset';

/** Answered with code 1 before anything else is looked at (protocol decisions, section 3). */
export interface MalformedForm {
  readonly kind: 'malformed';
  readonly reason: MalformedReason;
  /** The parameter's name where it is safe to repeat. */
  readonly field?: string;
  /** For the merchant's developer; holds nothing of the request but `field`. */
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

// A name is the sender's choice too: one that is long, strange or might be a card number is not repeated.
const SAFE_TO_REPEAT = /^(?!.*\d{9})[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const malformed = (reason: MalformedReason, name?: string): MalformedForm =>
  name !== undefined && SAFE_TO_REPEAT.test(name)
    ? { kind: 'malformed', reason, field: name, message: `${MESSAGES[reason]}: ${name}` }
    : { kind: 'malformed', reason, message: MESSAGES[reason] };

export type ParsedForm = { readonly ok: Form } | { readonly refused: MalformedForm };

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const refused = (reason: MalformedReason, name?: string): ParsedForm => ({ refused: malformed(reason, name) });

/**
 * A request body of type application/x-www-form-urlencoded, strictly: what cannot be read in one way only is refused (protocol decisions,
 * section 3; safety, T22). Empty pairs (`a=1&&b=2`) are passed over; the caller limits the body's size.
 */
export const parseForm = (body: Uint8Array): ParsedForm => {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // A byte order mark says UTF-8 and nothing else; as a part of the first name it would make that field missing.
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

/** A request body or query, for those who call: a client of the gateway, or the gateway's callback by GET. A value that is undefined is left out. */
export const encodeForm = (pairs: Iterable<readonly [name: string, value: string | undefined]>): string => {
  let body = '';
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    body += `${body === '' ? '' : '&'}${encodeComponent(name)}=${encodeComponent(value)}`;
  }
  return body;
};
