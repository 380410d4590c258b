import { sql } from 'kysely';
import type { Instant } from '@app/kernel';
import type { Columns, ColumnValue } from '../engine/rebuild/bulk-statements';
import { foldedColumns, FoldedTable, type Fold } from '../engine/folded-table';
import type { Projection } from '../engine/projection';
import type { Db } from '../engine/database/tables';
import { orderListCompanion } from '../order-list/order-list.table';
import { foldOrderStatus } from './order-status.fold';
import { type OrderStatusView, unknownOutcomes } from './order-status.view';

export const ORDER_STATUS = 'order-status';
export const ORDER_STATUS_CATEGORIES = ['payment', 'recurring', 'deviceVerification', 'transfer'] as const;

export const orderStatusTable = (generation: number): `order_status_g${number}` => `order_status_g${generation}`;

const COLUMNS = {
  merchant: 'text',
  kind: 'text',
  client_order_id: 'text',
  order_id: 'text',
  status: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
  final_at: 'bigint',
  unknown_outcomes: 'bigint',
} as const satisfies Columns;

export const SELECTED = foldedColumns(COLUMNS);

const FIXED = ['merchant', 'kind', 'client_order_id', 'order_id', 'created_at'];

const valuesOf = (view: OrderStatusView, recordedAt: Instant): readonly ColumnValue[] => [
  view.merchant,
  view.kind,
  view.clientOrderId,
  view.orderId,
  view.status,
  view.acceptedAt,
  recordedAt,
  view.finalAt,
  unknownOutcomes(view),
];

const UNKNOWN_INDEXES = {
  unknown: ['created_at', 'stream'],
  unknown_of: ['merchant', 'created_at', 'stream'],
} as const;

const create = async (db: Db, table: string): Promise<void> => {
  await db.schema
    .createTable(table)
    .addColumn('stream', 'text', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('merchant', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('client_order_id', 'text', (column) => column.notNull())
    .addColumn('order_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('final_at', 'bigint')
    .addColumn('unknown_outcomes', 'bigint', (column) => column.notNull())
    .addColumn('view', 'text', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute();
  // Partial indexes contain only the few orders that an operator may have to resolve. The one by merchant skips all other merchants.
  for (const [name, columns] of Object.entries(UNKNOWN_INDEXES)) {
    await db.schema
      .createIndex(`${table}_${name}`)
      .on(table)
      .columns([...columns])
      .where(sql<boolean>`unknown_outcomes > 0`)
      .execute();
  }
};

const index = async (db: Db, table: string): Promise<void> => {
  await db.schema.createIndex(`${table}_order`).on(table).columns(['merchant', 'order_id']).unique().execute();
};

const isFinished = ({ finalEventId }: OrderStatusView): boolean => finalEventId !== null;

/** The read model behind order status (interface, section 2.5). */
export const orderStatusProjection: Projection = {
  name: ORDER_STATUS,
  categories: ORDER_STATUS_CATEGORIES,
  shape: 8,
  table: (generation, isBuilding, log) =>
    new FoldedTable<OrderStatusView>(
      orderStatusTable(generation),
      // The codecs of these categories decode no other events, so the cast is safe.
      {
        fold: foldOrderStatus as Fold<OrderStatusView>,
        isFinished,
        columns: COLUMNS,
        fixed: FIXED,
        valuesOf,
        create,
        index,
        companion: orderListCompanion,
      },
      isBuilding,
      log,
    ),
};
