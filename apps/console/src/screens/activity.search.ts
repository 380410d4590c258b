import { textOf, wordOf, type RawSearch } from '../app/search';

const ACTIVITY_TABS = ['activity', 'configuration'] as const;
/** Absent: all but queries. */
export const ACTIVITY_KINDS = ['all', 'action', 'reveal', 'query', 'refusal', 'session', 'configuration'] as const;

export interface ActivityFilters {
  readonly person?: string | undefined;
  readonly kind?: (typeof ACTIVITY_KINDS)[number] | undefined;
  /** An action, a query, the cause of a refusal, or the type of another event. */
  readonly name?: string | undefined;
  readonly target?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface ActivitySearch extends ActivityFilters {
  /** Absent: `activity`. */
  readonly tab?: (typeof ACTIVITY_TABS)[number] | undefined;
  /** The time whose configuration is shown. Absent: now. */
  readonly at?: string | undefined;
  /** The time whose configuration is compared with it. Absent: just before it took effect. */
  readonly from?: string | undefined;
}

export const activitySearch = (search: RawSearch): ActivitySearch => ({
  tab: wordOf(ACTIVITY_TABS, search['tab']),
  person: textOf(search['person']),
  kind: wordOf(ACTIVITY_KINDS, search['kind']),
  name: textOf(search['name']),
  target: textOf(search['target']),
  since: textOf(search['since']),
  until: textOf(search['until']),
  at: textOf(search['at']),
  from: textOf(search['from']),
});
