import type { Instant, Money, Sealed } from '@app/kernel';
import { EventRefused } from '../port';
import { looksLikeCardNumber } from './card-number-guard';

/** A value does not fit its field. The message names the field, never the value, which may be personal data. */
export class SchemaViolation extends EventRefused {
  readonly path: string;
  readonly fault: string;

  constructor(path: string, fault: string) {
    super(`${path}: ${fault}`);
    this.path = path;
    this.fault = fault;
  }

  below(name: string): SchemaViolation {
    const joint = this.path === '' || this.path.startsWith('[') ? '' : '.';
    return new SchemaViolation(`${name}${joint}${this.path}`, this.fault);
  }
}

export const schemaViolation = (fault: string): never => {
  throw new SchemaViolation('', fault);
};

export const asString = (value: unknown, lengthMax: number): string => {
  if (typeof value !== 'string') return schemaViolation('a text is expected');
  if (value.length > lengthMax) return schemaViolation(`longer than ${lengthMax} characters`);
  if (!value.isWellFormed()) return schemaViolation('half of a surrogate pair has no UTF-8 form');
  return value;
};

const asSafeInteger = (value: unknown): number =>
  Number.isSafeInteger(value) ? (value as number) : schemaViolation('a whole number is expected');

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

export const asObject = (value: unknown): Record<string, unknown> =>
  isPlainObject(value) ? value : schemaViolation('an object is expected');

/**
 * The kind decides whether a field is searched for card numbers (architecture, rule 6; safety, section 5.1). Only `text` is: ids, hashes,
 * ciphertext and references can contain Luhn-valid digits by chance.
 */
export type FieldKind =
  | 'id'
  | 'merchant-text'
  | 'gate-reference'
  | 'hash'
  | 'sealed'
  | 'instant'
  | 'int'
  | 'bigint'
  | 'money'
  | 'bool'
  | 'one-of'
  | 'text'
  | 'list'
  | 'record'
  | 'object'
  | 'tagged';

/** Writes and reads one field of an event's data. `Value` is exact: a `string` field fits no branded id or narrower union. */
export interface Field<Value> {
  readonly kind: FieldKind;
  /**
   * RFC 8785 text.
   * @throws SchemaViolation
   */
  readonly write: (value: unknown) => string;
  /**
   * Undefined if the value is stored unchanged.
   * @throws SchemaViolation
   */
  readonly read: ((stored: unknown) => unknown) | undefined;
  readonly below: readonly FieldEntry[];
  readonly values: readonly string[];
  /** Only for the type checker; never set. */
  readonly fits?: (value: Value) => Value;
}

export interface FieldEntry {
  /** Path from the data: `plan[].gate`, `answer(declined).code`. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly optional: boolean;
  readonly values: readonly string[];
}

export interface OptionalField<Value> {
  readonly optional: Field<Value>;
}

export interface ObjectSchema<Data> extends Field<Data> {
  readonly kind: 'object';
  readonly writeWith: (value: unknown, tag: { readonly name: string; readonly value: string }) => string;
}

type IsOptional<Data, Key extends keyof Data> = Record<never, never> extends Pick<Data, Key> ? true : false;
export type FieldsOf<Data> = {
  readonly [Key in keyof Data]-?: IsOptional<Data, Key> extends true ? OptionalField<Exclude<Data[Key], undefined>> : Field<Data[Key]>;
};
export type AllKeys<Union> = Union extends unknown ? keyof Union : never;
export type Case<Union, Tag extends AllKeys<Union>, Value> = Union extends { readonly [Key in Tag]: Value } ? Omit<Union, Tag> : never;
export type TagValues<Union, Tag extends AllKeys<Union>> = Union extends { readonly [Key in Tag]: infer Value extends string }
  ? Value
  : never;

const TEXT_LENGTH_MAX = 300_000;
export const ID_LENGTH_MAX = 256;
const BIGINT_DIGITS_MAX = 40;
/** A smaller integer has too few digits to be a card number. */
const INT_UNGUARDED_BELOW = 100_000_000_000;

/** ASCII that JSON does not escape. Most values match, and skipping the escape is several times faster. */
const PLAIN = /^[ !#-[\]-~]*$/;
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;
const HEX_OR_BASE64 = /^[A-Za-z0-9+/_=.:-]*$/;
const CURRENCY = /^[A-Z]{3}$/;

const leaf = <Value>(kind: FieldKind, write: (value: unknown) => string, read?: (stored: unknown) => Value): Field<Value> => ({
  kind,
  write,
  read,
  below: [],
  values: [],
});
const stringLeaf = <Value extends string>(kind: FieldKind, lengthMax: number, check?: (text: string) => void): Field<Value> =>
  leaf<Value>(kind, (value) => {
    if (typeof value === 'string' && value.length <= lengthMax && PLAIN.test(value)) {
      check?.(value);
      return `"${value}"`;
    }
    const text = asString(value, lengthMax);
    check?.(text);
    return JSON.stringify(text);
  });

const writeBigint = (value: unknown): string => {
  if (typeof value !== 'bigint') return schemaViolation('a bigint is expected');
  const digits = value.toString();
  return digits.length > BIGINT_DIGITS_MAX ? schemaViolation(`longer than ${BIGINT_DIGITS_MAX} digits`) : `"${digits}"`;
};
const readBigint = (stored: unknown): bigint =>
  typeof stored === 'string' && stored.length <= BIGINT_DIGITS_MAX && DECIMAL.test(stored)
    ? BigInt(stored)
    : schemaViolation('a bigint as text is expected');

const writeMoney = (value: unknown): string => {
  const given = asObject(value);
  const { minor, currency } = given;
  if (Object.keys(given).length !== 2) return schemaViolation('minor and currency are expected, no more');
  if (typeof currency !== 'string' || !CURRENCY.test(currency)) return schemaViolation('a currency is expected');
  return `{"currency":"${currency}","minor":${writeBigint(minor)}}`;
};
const readMoney = (stored: unknown): Money => {
  const { minor, currency } = asObject(stored);
  return { minor: readBigint(minor), currency: currency as Money['currency'] };
};

const writeInt = (value: unknown): string => {
  const number = asSafeInteger(value);
  const text = JSON.stringify(number);
  return Math.abs(number) >= INT_UNGUARDED_BELOW && looksLikeCardNumber(text) ? schemaViolation('looks like a card number') : text;
};

export const guardText = (text: string): void => {
  if (looksLikeCardNumber(text)) schemaViolation('looks like a card number');
};
const guardHash = (text: string): void => {
  if (!HEX_OR_BASE64.test(text)) schemaViolation('hex or base64 is expected');
};

const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values): Field<Values[number]> => {
  const texts = new Map<unknown, string>(values.map((value) => [value, JSON.stringify(value)]));
  return {
    kind: 'one-of',
    write: (value) => texts.get(value) ?? schemaViolation('is none of the known words'),
    read: (stored) => (texts.has(stored) ? stored : schemaViolation('is none of the known words')),
    below: [],
    values,
  };
};

export const valueFields = {
  id: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('id', ID_LENGTH_MAX),
  /** client_orderid and invoiceId, stored as the merchant sent them and not searched for card numbers (protocol decisions, section 4). */
  merchantText: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('merchant-text', ID_LENGTH_MAX),
  /** Transaction ids, reference numbers and approval codes chosen by a gate; not searched for card numbers. */
  gateReference: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('gate-reference', ID_LENGTH_MAX),
  hash: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('hash', ID_LENGTH_MAX, guardHash),
  sealed: <Value extends string = Sealed>(): Field<Value> => stringLeaf<Value>('sealed', TEXT_LENGTH_MAX),
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  instant: <Value extends number = Instant>(): Field<Value> => leaf<Value>('instant', (value) => JSON.stringify(asSafeInteger(value))),
  int: <Value extends number = number>(): Field<Value> => leaf<Value>('int', writeInt),
  bigint: <Value extends bigint = bigint>(): Field<Value> => leaf<Value>('bigint', writeBigint, (stored) => readBigint(stored) as Value),
  money: (): Field<Money> => leaf<Money>('money', writeMoney, readMoney),
  bool: (): Field<boolean> =>
    leaf<boolean>('bool', (value) => (typeof value === 'boolean' ? String(value) : schemaViolation('true or false is expected'))),
  oneOf,
  /** Text that a person may have typed, searched for card numbers. Every reader of the log can read it. */
  text: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('text', TEXT_LENGTH_MAX, guardText),
} as const;
