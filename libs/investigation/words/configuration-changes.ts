import { formatAmount } from '@app/kernel/values/money';
import { leavesOf, type FieldChange, type FieldValue } from './fields';

const NAMES = ['login', 'alias', 'id', 'name'];
const EMPTY = 'an empty list';

/** Lists of named things become objects, so that a change names the thing and not its place. */
const byName = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, byName(member)]));
  if (value.length === 0) return EMPTY;
  const items = value.map(byName) as readonly Readonly<Record<string, unknown>>[];
  const name = NAMES.find((one) => items.every((item) => typeof item === 'object' && typeof item[one] === 'string'));
  return name === undefined ? items : Object.fromEntries(items.map((item) => [String(item[name]), item]));
};

/** Rights come first, so that a long list does not hide them. */
const FIRST = /^(approvals|operators|signIn)\b/;

interface CopiedConfiguration {
  readonly approvals?: Readonly<Record<string, { readonly from: readonly { readonly minor: string; readonly currency: string }[] }>>;
}

const ruleText = ([name, { from }]: readonly [string, NonNullable<CopiedConfiguration['approvals']>[string]]): readonly [
  string,
  string,
] => [
  name,
  from.length === 0 ? 'always' : `from ${from.map(({ minor, currency }) => `${formatAmount(BigInt(minor))} ${currency}`).join(', ')}`,
];

const leavesIn = (copy: string): ReadonlyMap<string, FieldValue> => {
  const { approvals = {}, ...others } = JSON.parse(copy) as CopiedConfiguration;
  return leavesOf({ approvals: Object.fromEntries(Object.entries(approvals).map(ruleText)), ...(byName(others) as object) });
};

/** The paths of which a field is a part. */
const parentsOf = (fields: ReadonlyMap<string, FieldValue>): ReadonlySet<string> =>
  new Set([...fields.keys()].flatMap((field) => [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index))));

/** Differences of two redacted copies. */
export const configurationChanges = (before: string, after: string): readonly FieldChange[] => {
  const [old, next] = [leavesIn(before), leavesIn(after)];
  const [oldParents, nextParents] = [parentsOf(old), parentsOf(next)];
  const fields = [...new Set([...next.keys(), ...old.keys()])].filter((field) => !oldParents.has(field) && !nextParents.has(field));
  return [...fields.filter((field) => FIRST.test(field)), ...fields.filter((field) => !FIRST.test(field))].flatMap((field) => {
    const change = { field, before: old.get(field) ?? null, after: next.get(field) ?? null };
    return change.before === change.after ? [] : [change];
  });
};
