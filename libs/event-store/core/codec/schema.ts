import {
  type AllKeys,
  type Case,
  type Field,
  type FieldEntry,
  type FieldsOf,
  type ObjectSchema,
  type OptionalField,
  type TagValues,
  asObject,
  SchemaViolation,
  schemaViolation,
  valueFields,
  guardText,
  ID_LENGTH_MAX,
  asString,
} from './fields';

interface Member {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly optional: boolean;
  readonly prefix: string;
}

/** RFC 8785 sorts by UTF-16 code units, as `sort` does. */
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

type WriteMembers = (value: unknown, tagName: string | undefined, tagText: string) => string;

const memberWriter = (members: readonly Member[]): WriteMembers => {
  const known = new Set(members.map(({ name }) => name));
  return (value, tagName, tagText) => {
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
      // Not named in the message, because the name may come from a request.
      const unknownMembers = names.filter((name) => !known.has(name) && name !== tagName).length;
      return schemaViolation(`${unknownMembers} member(s) that the schema does not know`);
    }
    return `${text}}`;
  };
};

const memberReader = (members: readonly Member[]): ((stored: unknown) => unknown) => {
  const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
  const converting = members.flatMap(({ name, field }) => (field.read === undefined ? [] : [{ name, read: field.read }]));
  return (stored) => {
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
};

const object = <Data extends object>(fields: NoInfer<FieldsOf<Data>>): ObjectSchema<Data> => {
  const members = membersOf(fields as Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>);
  const writeMembers = memberWriter(members);
  return {
    kind: 'object',
    write: (value) => writeMembers(value, undefined, ''),
    writeWith: (value, tag) => writeMembers(value, tag.name, `${JSON.stringify(tag.name)}:${JSON.stringify(tag.value)}`),
    read: memberReader(members),
    below: entriesOf(members),
    values: [],
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

export { type Field, type FieldEntry, type ObjectSchema, type OptionalField, SchemaViolation } from './fields';

export const f = {
  ...valueFields,
  list,
  record,
  object,
  optional: <Value>(field: Field<Value>): OptionalField<Value> => ({ optional: field }),
  tagged,
} as const;
