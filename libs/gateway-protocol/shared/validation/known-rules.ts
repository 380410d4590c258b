import { getMetadataStorage, MetadataStorage } from 'class-validator';

type Rules = ReturnType<MetadataStorage['getTargetValidationMetadatas']>;
type RulesByProperty = ReturnType<MetadataStorage['groupByPropertyName']>;

/**
 * class-validator looks through the rules of all classes, and sorts those it finds by property, at each validation: a tenth of the processor time of an
 * acceptance. The classes of messages have their rules once they are loaded, so each is asked for once. A rule that is declared later is seen: it empties
 * what is remembered. Rules of groups or schemas are looked for as before.
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
