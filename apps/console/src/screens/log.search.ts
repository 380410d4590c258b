import { textOf, type RawSearch } from '../app/search';

export interface LogSearch {
  readonly tab?: string | undefined;
}

export const logSearch = (search: RawSearch): LogSearch => ({ tab: textOf(search['tab']) });
