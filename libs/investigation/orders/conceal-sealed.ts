import type { FieldEntry } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { auditInstant } from './audit-instant';
import { tokenEnd } from './token-end';

/** Stands in place of a sealed text. */
export const SEALED = '[sealed]';
/** Stands in place of a sealed text whose key was erased. */
export const ERASED = '[erased]';

/** Members by which a card could be charged; of them no more than the end is shown. */
const CHARGES_CARD = /(^|\.)(token|cardToken|networkTransactionId)$/;

const CASE = /\([^)]*\)/g;

/** A sealed text of an event, and where it stands. */
export interface SealedText {
  readonly path: string;
  readonly sealed: string;
}

// The path of a tagged field contains its case, which is a member of its own in the data.
const pathsOf = (fields: readonly FieldEntry[], wanted: FieldEntry['kind']): ReadonlySet<string> =>
  new Set(fields.filter(({ kind }) => kind === wanted).map(({ path }) => path.replace(CASE, '')));

/** Replaces the members of data by their paths; a member that `replace` gives undefined for is looked into. */
const replaced = (value: unknown, path: string, replace: (value: unknown, path: string) => unknown): unknown => {
  const own = replace(value, path);
  if (own !== undefined) return own;
  if (Array.isArray(value)) return value.map((item) => replaced(item, `${path}[]`, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaced(member, path === '' ? name : `${path}.${name}`, replace)]),
  );
};

/**
 * Event data for programs: sealed fields are only marked as such, since their ciphertext is of no use, of a gate's token there is the end alone, times are
 * ISO 8601 and amounts are texts.
 * @param shown what stands in place of sealed texts, by the text
 */
export const concealSealed = (
  data: unknown,
  fields: readonly FieldEntry[],
  shown: Pick<ReadonlyMap<string, unknown>, 'get'> = NOTHING,
): unknown => {
  const [sealed, instants, references] = [pathsOf(fields, 'sealed'), pathsOf(fields, 'instant'), pathsOf(fields, 'gate-reference')];
  return replaced(data, '', (value, path) => {
    if (sealed.has(path)) return (typeof value === 'string' ? shown.get(value) : undefined) ?? SEALED;
    if (instants.has(path) && typeof value === 'number') return auditInstant(value as Instant);
    if (references.has(path) && CHARGES_CARD.test(path) && typeof value === 'string') return tokenEnd(value);
    return typeof value === 'bigint' ? value.toString() : undefined;
  });
};

const NOTHING: ReadonlyMap<string, unknown> = new Map();

/** The sealed texts of event data, at any depth. */
export const sealedTexts = (data: unknown, fields: readonly FieldEntry[]): readonly SealedText[] => {
  const sealed = pathsOf(fields, 'sealed');
  const found: SealedText[] = [];
  replaced(data, '', (value, path) => {
    if (sealed.has(path) && typeof value === 'string') found.push({ path, sealed: value });
    return undefined;
  });
  return found;
};
