import type { Field, OptionalField } from './field';
import { object, tagged } from './object-fields';
import { valueFields, guardText, ID_LENGTH_MAX } from './value-fields';
import { asObject, asString, SchemaViolation, schemaViolation } from './schema-violation';

const LIST_ITEMS_MAX = 10_000;

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

export type { Field, FieldEntry, ObjectSchema, OptionalField } from './field';
export { SchemaViolation } from './schema-violation';

/** Constructors of the fields of event data, by kind. */
export const f = {
  ...valueFields,
  list,
  record,
  object,
  optional: <Value>(field: Field<Value>): OptionalField<Value> => ({ optional: field }),
  tagged,
} as const;
