import { textOf, type RawSearch } from '../app/search';

export interface OrdersSearch {
  readonly merchant?: string | undefined;
  readonly status?: string | undefined;
  readonly gate?: string | undefined;
}

export const ordersSearch = (search: RawSearch): OrdersSearch => ({
  merchant: textOf(search['merchant']),
  status: textOf(search['status']),
  gate: textOf(search['gate']),
});
