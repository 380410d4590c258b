import type { paths } from '../../../../docs/openapi/operator';
import { textOf, type RawSearch } from '../app/search';

type Query = NonNullable<paths['/audit/orders']['get']['parameters']['query']>;

/** A filter of the list of orders, by its name at the port. */
export type FilterName = Exclude<keyof Query, 'actor' | 'cursor' | 'format' | 'limit'>;

export const FILTER_NAMES = [
  'status',
  'merchant',
  'gate',
  'endpoint',
  'kind',
  'operation',
  'stage',
  'code',
  'currency',
  'amountFrom',
  'amountTo',
  'on',
  'zone',
  'createdFrom',
  'createdTo',
  'updatedFrom',
  'updatedTo',
  'lastFour',
  'cardMask',
  'descriptor',
  'order',
  'clientOrderId',
  'invoiceId',
  'correlation',
  'cardReference',
  'card',
  'receipt',
  'rrn',
  'reference',
  'approvalCode',
  'operator',
] as const satisfies readonly FilterName[];

export type OrderFilters = { readonly [Name in FilterName]?: string | undefined };

export interface OrdersSearch extends OrderFilters {
  /** Shown columns after the first, with commas between. Absent: those of this browser. */
  readonly columns?: string | undefined;
}

export const ordersSearch = (search: RawSearch): OrdersSearch => ({
  ...Object.fromEntries(FILTER_NAMES.map((name) => [name, textOf(search[name])])),
  columns: textOf(search['columns']),
});
