import { isUtf8 } from 'node:buffer';
import { isWellFormed } from '../shared/validation/field-rules';
import type { Validated } from '../shared/validation/message-fields';
import { JSON_DEPTH_MAX } from './device-limits';

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Keys that a copy could set on the prototype (safety, T25). */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /[-+.0-9eE]+/y;
/** Digits with at most a fraction of zeros. Readers differ on rounding and exponents. */
const WHOLE = /^-?\d+(?:\.0+)?$/;

const MALFORMED = 'must be JSON in UTF-8';

/** The index of the closing quote, or -1. */
const closingQuote = (text: string, start: number): number => {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return -1;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
};

const faultOfNumber = (token: string): string | undefined => {
  const value = Number(token);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'must not hold a number beyond 2^53';
  return Number.isInteger(value) && !WHOLE.test(token) ? 'must hold whole numbers as digits' : undefined;
};

const unescaped = (token: string): string | undefined => {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
};

/**
 * Finds in one pass, without recursion, what JSON.parse accepts: depth, keys, number tokens, lone surrogates (protocol
 * decisions, section 8; safety, T26).
 */
const faultOf = (text: string): string | undefined => {
  const keysOfOpen: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (end === -1) return MALFORMED;
      const raw = text.slice(at + 1, end);
      const isEscaped = raw.includes('\\');
      if (isEscaped || isKeyNext) {
        const string = isEscaped ? unescaped(text.slice(at, end + 1)) : raw;
        if (string === undefined) return MALFORMED;
        if (!isWellFormed(string)) return 'must hold well-formed Unicode';
        if (isKeyNext) {
          if (FORBIDDEN_KEYS.has(string)) return 'must not hold a key that is reserved';
          if (keys?.has(string) === true) return 'must not hold a key twice';
          keys?.add(string);
        }
      }
      isKeyNext = false;
      at = end;
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      keysOfOpen.push(keys);
      if (keysOfOpen.length > JSON_DEPTH_MAX) return `must not be deeper than ${JSON_DEPTH_MAX}`;
      keys = code === OPENING_BRACE ? new Set() : undefined;
      isKeyNext = code === OPENING_BRACE;
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      keys = keysOfOpen.pop();
      isKeyNext = false;
    } else if (code === COMMA) {
      isKeyNext = keys !== undefined;
    } else if (code === COLON) {
      isKeyNext = false;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0] ?? '';
      const fault = faultOfNumber(token);
      if (fault !== undefined) return fault;
      at += token.length - 1;
    }
  }
  return undefined;
};

const refused = (message: string): Validated<never> => ({ refused: { field: 'body', message: `body ${message}` } });

/**
 * Strict: ambiguous JSON is refused. The message never quotes the text.
 * @param text decoded from UTF-8
 */
export const readJsonText = (text: string): Validated<unknown> => {
  const fault = faultOf(text);
  if (fault !== undefined) return refused(fault);
  try {
    return { ok: JSON.parse(text) as unknown };
  } catch {
    // The message of JSON.parse would quote the text.
    return refused(MALFORMED);
  }
};

/** The same for bytes, which must be UTF-8. */
export const readJson = (bytes: Uint8Array): Validated<unknown> =>
  isUtf8(bytes) ? readJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) : refused(MALFORMED);
