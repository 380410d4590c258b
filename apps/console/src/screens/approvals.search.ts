import { textOf, wordOf, type RawSearch } from '../app/search';

const APPROVAL_TABS = ['waiting', 'mine', 'decided'] as const;

export interface ApprovalsSearch {
  /** Absent: `waiting`. */
  readonly tab?: (typeof APPROVAL_TABS)[number] | undefined;
  /** The proposal whose changes of the configuration are shown. */
  readonly open?: string | undefined;
}

export const approvalsSearch = (search: RawSearch): ApprovalsSearch => ({
  tab: wordOf(APPROVAL_TABS, search['tab']),
  open: textOf(search['open']),
});
