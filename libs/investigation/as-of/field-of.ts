import type { OrderState } from './order-state';

export type FieldValue = string | number | boolean | null;

/** The leaves of a state by their paths in its JSON, such as `card.bin` and `followUps[0].status`; a list without items is a leaf without a value. */
export type Fields = ReadonlyMap<string, FieldValue>;

export interface FieldChange {
  readonly field: string;
  /** Null also where the state did not have the field. */
  readonly before: FieldValue;
  readonly after: FieldValue;
}

const NO_FIELDS: Fields = new Map();

const collect = (value: unknown, path: string, fields: Map<string, FieldValue>): void => {
  if (Array.isArray(value)) {
    if (value.length === 0) fields.set(path, null);
    value.forEach((item, index) => collect(item, `${path}[${index}]`, fields));
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`, fields);
  } else if (value !== undefined) fields.set(path, value as FieldValue);
};

export const fieldsOf = (state: OrderState | undefined): Fields => (state === undefined ? NO_FIELDS : leavesOf(state));

export const leavesOf = (value: object): Fields => {
  const fields = new Map<string, FieldValue>();
  collect(value, '', fields);
  return fields;
};

/** The fields that differ, in the order of the later state; those that it has no more come last. */
export const changesBetween = (before: Fields, after: Fields): readonly FieldChange[] => {
  const changes: FieldChange[] = [];
  for (const [field, value] of after) {
    const old = before.get(field) ?? null;
    if (old !== value) changes.push({ field, before: old, after: value });
  }
  for (const [field, value] of before) if (value !== null && !after.has(field)) changes.push({ field, before: value, after: null });
  return changes;
};

/** Whether a field is the named one or lies in it: `card` names all of `card.bin` and the rest. */
export const isWithin = (field: string, name: string): boolean =>
  field === name || (field.startsWith(name) && (field[name.length] === '.' || field[name.length] === '['));

const AFTER_A_DIVIDER = /[.[]/;

/** The names that the state's JSON has at its top, for a person who named a field that is none. */
export const topNames = (fields: Fields): readonly string[] => [
  ...new Set([...fields.keys()].map((field) => field.split(AFTER_A_DIVIDER)[0] ?? field)),
];
