import { textOf, type RawSearch } from '../../app/search';

export interface OrderSearch {
  readonly tab?: string | undefined;
}

export const orderSearch = (search: RawSearch): OrderSearch => ({ tab: textOf(search['tab']) });
