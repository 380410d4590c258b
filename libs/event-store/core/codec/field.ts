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
export type AllKeys<Union> = Union extends unknown ? keyof Union : never;
export type Case<Union, Tag extends AllKeys<Union>, Value> = Union extends { readonly [Key in Tag]: Value } ? Omit<Union, Tag> : never;
export type TagValues<Union, Tag extends AllKeys<Union>> = Union extends { readonly [Key in Tag]: infer Value extends string }
  ? Value
  : never;
