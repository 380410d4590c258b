import type { Instant, Money, Sealed } from '@app/kernel';
import { EventRefused } from '../port';
import { looksLikeCardNumber } from './card-number-guard';

/**
 * The kind of a field decides whether the guard searches it for card numbers (architecture, rule 6; safety, section 5.1). Only `text` may hold what a
 * person typed; ids, hashes, times, ciphertext, references of gates and the two identifiers that merchants choose can hold Luhn-valid digits by chance.
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

/** Writes and reads one field of an event's data. `Value` is exact: a field of `string` fits neither a branded id nor a narrower union. */
export interface Field<Value> {
  readonly kind: FieldKind;
  /** RFC 8785 text. @throws SchemaViolation */
  readonly write: (value: unknown) => string;
  /** From the parsed text; undefined where the value is stored as it is. @throws SchemaViolation */
  readonly read: ((stored: unknown) => unknown) | undefined;
  /** Nested fields, for the catalogue. */
  readonly below: readonly FieldEntry[];
  readonly values: readonly string[];
  /** Exists for the type checker alone and is never set. */
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
  /** Writes the members in canonical order, with the tag sorted in. */
  readonly writeWith: (value: unknown, tag: { readonly name: string; readonly value: string }) => string;
}

type IsOptional<Data, Key extends keyof Data> = Record<never, never> extends Pick<Data, Key> ? true : false;
/** Exactly one field for each member of the type, an optional field for an optional member. */
export type FieldsOf<Data> = {
  readonly [Key in keyof Data]-?: IsOptional<Data, Key> extends true ? OptionalField<Exclude<Data[Key], undefined>> : Field<Data[Key]>;
};
type AllKeys<Union> = Union extends unknown ? keyof Union : never;
type Case<Union, Tag extends AllKeys<Union>, Value> = Union extends { readonly [Key in Tag]: Value } ? Omit<Union, Tag> : never;
type TagValues<Union, Tag extends AllKeys<Union>> = Union extends { readonly [Key in Tag]: infer Value extends string } ? Value : never;

/** A value does not fit its field. The message names the field and never the value, which could be personal data. */
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

export const TEXT_LENGTH_MAX = 300_000;
export const ID_LENGTH_MAX = 256;
export const LIST_ITEMS_MAX = 10_000;
const BIGINT_DIGITS_MAX = 40;
/** A smaller integer has too few digits to be a card number. */
const INT_UNGUARDED_BELOW = 100_000_000_000;

/** ASCII that JSON does not escape: most values are such, and writing them unescaped is several times faster. */
const PLAIN = /^[ !#-[\]-~]*$/;
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;
const HEX_OR_BASE64 = /^[A-Za-z0-9+/_=.:-]*$/;
const CURRENCY = /^[A-Z]{3}$/;

const schemaViolation = (fault: string): never => {
  throw new SchemaViolation('', fault);
};
const asString = (value: unknown, lengthMax: number): string => {
  if (typeof value !== 'string') return schemaViolation('a text is expected');
  if (value.length > lengthMax) return schemaViolation(`longer than ${lengthMax} characters`);
  if (!value.isWellFormed()) return schemaViolation('half of a surrogate pair has no UTF-8 form');
  return value;
};
const asSafeInteger = (value: unknown): number =>
  Number.isSafeInteger(value) ? (value as number) : schemaViolation('a whole number is expected');

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
const asObject = (value: unknown): Record<string, unknown> => (isPlainObject(value) ? value : schemaViolation('an object is expected'));

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

const guardText = (text: string): void => {
  if (looksLikeCardNumber(text)) schemaViolation('looks like a card number');
};
const guardHash = (text: string): void => {
  if (!HEX_OR_BASE64.test(text)) schemaViolation('hex or base64 is expected');
};

interface Member {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly optional: boolean;
  readonly prefix: string;
}

/** RFC 8785 sorts by UTF-16 code units, which is what `sort` does. */
const membersOf = (fields: Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>): readonly Member[] =>
  Object.keys(fields)
    .sort()
    .map((name) => {
      const given = fields[name];
      if (given === undefined || name === '__proto__') throw new Error(`no field can be called ${name}`);
      const optional = 'optional' in given;
      return { name, optional, field: optional ? given.optional : given, prefix: `${JSON.stringify(name)}:` };
    });

const entriesOf = (members: readonly Member[]): readonly FieldEntry[] =>
  members.flatMap(({ name, field, optional }) => [
    { path: name, kind: field.kind, optional, values: field.values },
    ...field.below.map((entry) => ({ ...entry, path: /^[[(]/.test(entry.path) ? `${name}${entry.path}` : `${name}.${entry.path}` })),
  ]);

const object = <Data extends object>(fields: NoInfer<FieldsOf<Data>>): ObjectSchema<Data> => {
  const members = membersOf(fields as Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>);
  const known = new Set(members.map(({ name }) => name));
  const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
  const converting = members.flatMap(({ name, field }) => (field.read === undefined ? [] : [{ name, read: field.read }]));

  const writeMembers = (value: unknown, tagName: string | undefined, tagText: string): string => {
    const given = asObject(value);
    let text = '{';
    let count = 0;
    let current = '';
    let isTagWritten = tagName === undefined;
    try {
      for (const { name, field, optional, prefix } of members) {
        if (!isTagWritten && tagName !== undefined && tagName < name) {
          text += text.length === 1 ? tagText : `,${tagText}`;
          isTagWritten = true;
        }
        const member = given[name];
        if (member === undefined && optional && !Object.hasOwn(given, name)) continue;
        current = name;
        if (member === undefined) return schemaViolation('is missing');
        text += text.length === 1 ? prefix : `,${prefix}`;
        text += field.write(member);
        count += 1;
      }
    } catch (error) {
      throw error instanceof SchemaViolation ? error.below(current) : error;
    }
    if (!isTagWritten) text += text.length === 1 ? tagText : `,${tagText}`;
    const expected = tagName === undefined ? count : count + 1;
    const names = Object.keys(given);
    if (names.length !== expected) {
      // The name stays out of the message, since it may come from a request.
      const unknownMembers = names.filter((name) => !known.has(name) && name !== tagName).length;
      return schemaViolation(`${unknownMembers} member(s) that the schema does not know`);
    }
    return `${text}}`;
  };

  const read = (stored: unknown): unknown => {
    const given = asObject(stored);
    for (const name of required) if (given[name] === undefined) throw new SchemaViolation(name, 'is missing');
    for (const { name, read } of converting) {
      const member = given[name];
      if (member === undefined) continue;
      try {
        given[name] = read(member);
      } catch (error) {
        throw error instanceof SchemaViolation ? error.below(name) : error;
      }
    }
    return given;
  };

  return {
    kind: 'object',
    write: (value) => writeMembers(value, undefined, ''),
    writeWith: (value, tag) => writeMembers(value, tag.name, `${JSON.stringify(tag.name)}:${JSON.stringify(tag.value)}`),
    read,
    below: entriesOf(members),
    values: [],
  };
};

const list = <List extends readonly unknown[]>(item: NoInfer<Field<List[number]>>): Field<List> => {
  const each = <Result>(value: unknown, change: (item: unknown) => Result): Result[] => {
    if (!Array.isArray(value)) return schemaViolation('a list is expected');
    if (value.length > LIST_ITEMS_MAX) return schemaViolation(`more than ${LIST_ITEMS_MAX} items`);
    return value.map((member, index) => {
      try {
        return change(member);
      } catch (error) {
        throw error instanceof SchemaViolation ? error.below(`[${index}]`) : error;
      }
    });
  };
  const { read } = item;
  return {
    kind: 'list',
    write: (value) => `[${each(value, item.write).join(',')}]`,
    read: read === undefined ? undefined : (stored) => each(stored, read),
    below: [
      { path: '[]', kind: item.kind, optional: false, values: item.values },
      ...item.below.map((entry) => ({ ...entry, path: /^[[(]/.test(entry.path) ? `[]${entry.path}` : `[].${entry.path}` })),
    ],
    values: [],
  };
};

const record = <Value>(item: Field<Value>): Field<Readonly<Record<string, Value>>> => {
  const { read } = item;
  const named = <Result>(name: string, change: () => Result): Result => {
    try {
      return change();
    } catch (error) {
      throw error instanceof SchemaViolation ? error.below('{}') : error;
    }
  };
  return {
    kind: 'record',
    write: (value) => {
      const given = asObject(value);
      const names = Object.keys(given).sort();
      if (names.length > LIST_ITEMS_MAX) return schemaViolation(`more than ${LIST_ITEMS_MAX} members`);
      const texts = names.map((name) => {
        if (name === '__proto__') return schemaViolation('a member cannot have this name');
        guardText(asString(name, ID_LENGTH_MAX));
        return `${JSON.stringify(name)}:${named(name, () => item.write(given[name]))}`;
      });
      return `{${texts.join(',')}}`;
    },
    read:
      read === undefined
        ? undefined
        : (stored) => Object.fromEntries(Object.entries(asObject(stored)).map(([name, member]) => [name, named(name, () => read(member))])),
    below: [
      { path: '{}', kind: item.kind, optional: false, values: item.values },
      ...item.below.map((entry) => ({ ...entry, path: `{}.${entry.path}` })),
    ],
    values: [],
  };
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

const tagged = <Union extends object, const Tag extends AllKeys<Union> & string = AllKeys<Union> & string>(
  tag: Tag,
  cases: NoInfer<{ readonly [Value in TagValues<Union, Tag>]: ObjectSchema<Case<Union, Tag, Value>> }>,
): Field<Union> => {
  const schemas = new Map(Object.entries<ObjectSchema<unknown>>(cases as Record<string, ObjectSchema<unknown>>));
  const schemaOf = (value: Record<string, unknown>): readonly [name: string, schema: ObjectSchema<unknown>] => {
    const name = value[tag];
    const schema = typeof name === 'string' ? schemas.get(name) : undefined;
    if (typeof name !== 'string' || schema === undefined) throw new SchemaViolation(tag, 'is none of the known words');
    return [name, schema];
  };
  return {
    kind: 'tagged',
    write: (value) => {
      const given = asObject(value);
      const [name, schema] = schemaOf(given);
      return schema.writeWith(given, { name: tag, value: name });
    },
    read: (stored) => {
      const given = asObject(stored);
      return schemaOf(given)[1].read?.(given);
    },
    below: [
      { path: tag, kind: 'one-of', optional: false, values: [...schemas.keys()] },
      ...[...schemas].flatMap(([name, { below }]) => below.map((entry) => ({ ...entry, path: `(${name}).${entry.path}` }))),
    ],
    values: [],
  };
};

/** Constructors of the fields of event data, by kind. */
export const f = {
  /** Identifiers that this service makes: order ids, uuids, aliases, serials. */
  id: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('id', ID_LENGTH_MAX),
  /** client_orderid and invoiceId, stored as the merchant sent them and exempt from the guard (protocol decisions, section 4). */
  merchantText: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('merchant-text', ID_LENGTH_MAX),
  /** Transaction ids, reference numbers and approval codes that a gate chose; exempt from the guard. */
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
  /** Text that a person may have typed, readable by every reader of the log; searched for card numbers. */
  text: <Value extends string = string>(): Field<Value> => stringLeaf<Value>('text', TEXT_LENGTH_MAX, guardText),
  list,
  record,
  object,
  optional: <Value>(field: Field<Value>): OptionalField<Value> => ({ optional: field }),
  tagged,
} as const;
