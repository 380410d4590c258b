import { textOf, type RawSearch } from '../app/search';

export interface GatesSearch {
  readonly tab?: string | undefined;
}

export const gatesSearch = (search: RawSearch): GatesSearch => ({ tab: textOf(search['tab']) });
