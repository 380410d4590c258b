import { getMetadataStorage, MetadataStorage } from 'class-validator';

/** A field and, if a value has several spellings, its canonical form. */
export interface MessageField {
  readonly name: string;
  readonly canonical: ((text: string) => string) | undefined;
  readonly isConditional: boolean;
}

export type MessageClass = abstract new (...values: never[]) => object;

const declared = new Map<object, MessageField[]>();
const placements = new Map<object, Map<string, string>>();
const tables = new Map<object, readonly MessageField[]>();

export const declareField = (Message: object, field: MessageField): void => {
  const fields = declared.get(Message);
  if (fields === undefined) declared.set(Message, [field]);
  else fields.push(field);
};

/** Places a field that a subclass adds among the inherited ones. */
export const PlacedAfter =
  (earlier: string): PropertyDecorator =>
  (target, property) => {
    const placed = placements.get(target.constructor) ?? new Map<string, string>();
    placements.set(target.constructor, placed.set(String(property), earlier));
  };

export const lineageOf = (Message: MessageClass): readonly object[] => {
  const lineage: object[] = [];
  for (
    let link = Message as object | null;
    link !== null && link !== Function.prototype;
    link = Object.getPrototypeOf(link) as object | null
  ) {
    lineage.unshift(link);
  }
  return lineage;
};

const tableOf = (Message: MessageClass): readonly MessageField[] => {
  const table: MessageField[] = [];
  for (const link of lineageOf(Message)) {
    for (const field of declared.get(link) ?? []) {
      const earlier = placements.get(link)?.get(field.name);
      const place = earlier === undefined ? table.length : table.findIndex(({ name }) => name === earlier) + 1;
      if (place === 0 && earlier !== undefined)
        throw new Error(`${Message.name}: ${field.name} is placed after ${earlier}, which is not there`);
      table.splice(place, 0, field);
    }
  }
  if (table.length === 0) throw new Error(`${Message.name} declares no field`);
  return table;
};

/**
 * Fields in table order, inherited ones first unless `PlacedAfter` changes it. Only these fields are copied (safety,
 * T24 and T25).
 * @throws if the class declares none, or places one after an unknown field
 */
export const fieldsOf = (Message: MessageClass): readonly MessageField[] => {
  const known = tables.get(Message);
  if (known !== undefined) return known;
  const table = tableOf(Message);
  tables.set(Message, table);
  return table;
};

export interface FieldRefusal {
  readonly field: string;
  /** For the merchant's developer. Names the field, never repeats a value. */
  readonly message: string;
}

export type Validated<Message> = { readonly ok: Message } | { readonly refused: FieldRefusal };

type Rules = ReturnType<MetadataStorage['getTargetValidationMetadatas']>;
type RulesByProperty = ReturnType<MetadataStorage['groupByPropertyName']>;

/**
 * Caches class-validator's rules per class; searching them takes a tenth of the processor time of an accepted request.
 * A rule declared later clears the cache.
 */
export const rememberRules = (storage: MetadataStorage = getMetadataStorage()): void => {
  const byClass = new Map<unknown, Rules>();
  const byProperty = new WeakMap<Rules, RulesByProperty>();
  const look = storage.getTargetValidationMetadatas.bind(storage);
  const group = storage.groupByPropertyName.bind(storage);
  const add = storage.addValidationMetadata.bind(storage);
  storage.addValidationMetadata = (rule) => {
    byClass.clear();
    add(rule);
  };
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    const isPlain = (schema as string | undefined) === undefined && !always && !strictGroups && groups === undefined;
    const known = isPlain ? byClass.get(target) : undefined;
    if (known !== undefined) return known;
    const found = look(target, schema, always, strictGroups, groups);
    if (isPlain) byClass.set(target, found);
    return found;
  };
  storage.groupByPropertyName = (rules) => {
    const known = byProperty.get(rules);
    if (known !== undefined) return known;
    const grouped = group(rules);
    byProperty.set(rules, grouped);
    return grouped;
  };
};
