import { textOf, type RawSearch } from '../app/search';

export interface ApprovalsSearch {
  readonly tab?: string | undefined;
}

export const approvalsSearch = (search: RawSearch): ApprovalsSearch => ({ tab: textOf(search['tab']) });
