import { entryProjection } from '../engine/entry-table';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import { collectIdentifiers } from './order-search.fold';

export const ORDER_SEARCH = 'order-search';

export const orderSearch = entryProjection(ORDER_SEARCH, {
  categories: ORDER_STATUS_CATEGORIES,
  shape: 5,
  collect: (event, collect) => collectIdentifiers(event, (identifier) => collect(identifier, event.stream)),
});
