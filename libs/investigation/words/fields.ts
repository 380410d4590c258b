export type FieldValue = string | number | boolean | null;

type Fields = ReadonlyMap<string, FieldValue>;

export interface FieldChange {
  readonly field: string;
  /** Null also if the state did not have the field. */
  readonly before: FieldValue;
  readonly after: FieldValue;
}

/** Places of the items of lists that are not whole, by the list's path. */
type Places = Readonly<Record<string, readonly number[]>>;

/** Adds the leaves of a value under their paths. */
export const collectFields = (value: unknown, path: string, fields: Map<string, FieldValue>, places: Places = {}): void => {
  if (Array.isArray(value)) {
    if (value.length === 0) fields.set(path, null);
    value.forEach((item, index) => collectFields(item, `${path}[${places[path]?.[index] ?? index}]`, fields));
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) collectFields(member, path === '' ? name : `${path}.${name}`, fields, places);
  } else if (value !== undefined) fields.set(path, value as FieldValue);
};

/** The leaves of a value by their paths, such as `amount.minor`; an empty list is a leaf. */
export const leavesOf = (value: object): Fields => {
  const fields = new Map<string, FieldValue>();
  collectFields(value, '', fields);
  return fields;
};
