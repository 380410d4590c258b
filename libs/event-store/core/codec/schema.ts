import { list, record } from './collection-fields';
import type { Field, OptionalField } from './field';
import { object, tagged } from './object-fields';
import { valueFields } from './value-fields';

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
