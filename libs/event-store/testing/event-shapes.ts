import type { CatalogueEntry } from '../core/codec/codec';
import type { FieldEntry } from '../core/codec/fields';

/** The fields of each stored type and version, by `<category>.<Type>.v<version>`, one text per field. */
export type EventShapes = Readonly<Record<string, readonly string[]>>;

const fieldText = ({ path, kind, optional, values }: FieldEntry): string =>
  [path, kind, optional ? 'optional' : 'always', ...values].join(' ');

interface Read {
  readonly path: string;
  readonly kind: string;
  readonly isOptional: boolean;
  readonly values: readonly string[];
}

const readField = (text: string): Read => {
  const [path = '', kind = '', presence, ...values] = text.split(' ');
  return { path, kind, isOptional: presence === 'optional', values };
};

const nameOf = ({ category, type, version }: CatalogueEntry): string => `${category}.${type}.v${version}`;
const shapeOf = ({ fields }: CatalogueEntry): readonly string[] => fields.map(fieldText);

const breaksOf = (name: string, before: readonly string[], now: readonly string[]): readonly string[] => {
  const [former, present] = [before, now].map((fields) => new Map(fields.map(readField).map((field) => [field.path, field])));
  const faults: string[] = [];
  for (const field of former?.values() ?? []) {
    const { path, kind, isOptional, values } = field;
    const other = present?.get(path);
    if (other === undefined) faults.push(`${name}: ${path} is gone`);
    else if (other.kind !== kind) faults.push(`${name}: ${path} was ${kind} and is ${other.kind}`);
    else if (other.isOptional !== isOptional)
      faults.push(`${name}: ${path} ${isOptional ? 'was optional and is not' : 'was always there and is optional'}`);
    else if (values.some((value) => !other.values.includes(value)))
      faults.push(`${name}: ${path} no longer takes ${values.filter((value) => !other.values.includes(value)).join(', ')}`);
  }
  for (const { path, isOptional } of present?.values() ?? [])
    if (former?.has(path) === false && !isOptional && !isBelowNew(path, former)) faults.push(`${name}: ${path} is new and always there`);
  return faults;
};

const isBelowNew = (path: string, former: ReadonlyMap<string, unknown>): boolean => {
  const parent = path.replace(/(\[\]|(\[\])?(\.[^.[]+|\([^)]*\)\.[^.]+))$/, '');
  return parent !== path && parent !== '' && !former.has(parent);
};

/**
 * Reports each field that was changed without a new version: removed, of another kind, newly required, or accepting less. An optional field
 * or an additional word is no fault.
 */
export const shapeFaults = (committed: EventShapes, catalogue: readonly CatalogueEntry[]): readonly string[] => {
  const faults = catalogue.flatMap((entry) => {
    const name = nameOf(entry);
    const before = committed[name];
    const older = Array.from({ length: entry.version - 1 }, (_, index) => `${entry.category}.${entry.type}.v${index + 1}`);
    const missing = older.filter((one) => committed[one] === undefined).map((one) => `${one}: its shape is not on record`);
    return before === undefined ? missing : [...missing, ...breaksOf(name, before, shapeOf(entry))];
  });
  const newest = new Map(catalogue.map((entry) => [`${entry.category}.${entry.type}`, entry.version]));
  for (const name of Object.keys(committed)) {
    const [type = '', version = ''] = name.split('.v');
    const now = newest.get(type);
    if (now === undefined) faults.push(`${name}: no codec reads it any more`);
    else if (Number(version) > now) faults.push(`${name}: the newest version is ${now}, and events of it were written`);
  }
  return faults;
};

export const grownShapes = (committed: EventShapes, catalogue: readonly CatalogueEntry[]): EventShapes =>
  Object.fromEntries(
    Object.entries({ ...committed, ...Object.fromEntries(catalogue.map((entry) => [nameOf(entry), shapeOf(entry)])) }).sort(
      ([one], [other]) => (one < other ? -1 : 1),
    ),
  );
