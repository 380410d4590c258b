import type { Projection } from '../engine/projection';
import { EntryTable } from '../engine/entry-table';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import { collectIdentifiers } from './order-search.fold';

export const ORDER_SEARCH = 'order-search';

export const orderSearchTable = (generation: number): `order_search_g${number}` => `order_search_g${generation}`;

export const orderSearchProjection: Projection = {
  name: ORDER_SEARCH,
  categories: ORDER_STATUS_CATEGORIES,
  shape: 4,
  table: (generation) =>
    new EntryTable(orderSearchTable(generation), (event, collect) =>
      collectIdentifiers(event, (identifier) => collect(identifier, event.stream)),
    ),
};
