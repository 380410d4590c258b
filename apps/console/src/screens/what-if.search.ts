import { textOf, type RawSearch } from '../app/search';

export interface WhatIfSearch {
  readonly tab?: string | undefined;
}

export const whatIfSearch = (search: RawSearch): WhatIfSearch => ({ tab: textOf(search['tab']) });
