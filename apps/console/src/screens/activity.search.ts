import { wordOf, type RawSearch } from '../app/search';

export const ACTIVITY_TABS = ['activity', 'configuration'] as const;

export interface ActivitySearch {
  /** Absent: `activity`. */
  readonly tab?: (typeof ACTIVITY_TABS)[number] | undefined;
}

export const activitySearch = (search: RawSearch): ActivitySearch => ({ tab: wordOf(ACTIVITY_TABS, search['tab']) });
