import { wordOf } from './app/search';
import type { Zone } from './format';

/** A list's filters under a name, kept in this browser only. */
export interface SavedView {
  readonly name: string;
  /** The part of the address after `?`. */
  readonly search: string;
}

export interface Preferences {
  readonly theme: 'dark' | 'light' | 'system';
  readonly zone: Zone;
  /** The chosen columns of a table, by the path of its screen. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** By the path of their screen, such as `/orders`. */
  readonly views: Readonly<Record<string, readonly SavedView[]>>;
}

export const DEFAULTS: Preferences = { theme: 'system', zone: 'utc', columns: {}, views: {} };

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

const listsOf = <Item>(value: unknown, isItem: (item: unknown) => item is Item): Readonly<Record<string, readonly Item[]>> =>
  Object.fromEntries(
    Object.entries(membersOf(value)).map(([screen, list]) => [screen, Array.isArray(list) ? (list as unknown[]).filter(isItem) : []]),
  );

const isText = (value: unknown): value is string => typeof value === 'string';
const isView = (value: unknown): value is SavedView => isText(membersOf(value)['name']) && isText(membersOf(value)['search']);

/** What is sound of a stored text: a damaged one must not stop the page at every start. */
export const preferencesOf = (text: string): Preferences => {
  let stored: Members = {};
  try {
    stored = membersOf(JSON.parse(text));
  } catch {
    // A text that is not ours.
  }
  return {
    theme: wordOf(['dark', 'light', 'system'], stored['theme']) ?? DEFAULTS.theme,
    zone: wordOf(['utc', 'local', 'relative'], stored['zone']) ?? DEFAULTS.zone,
    columns: listsOf(stored['columns'], isText),
    views: listsOf(stored['views'], isView),
  };
};
