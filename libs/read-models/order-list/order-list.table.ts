import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { CompanionShape } from '../engine/companion-table';
import type { Db } from '../engine/database/tables';
import { isPostgres, type Columns, type ColumnValue } from '../engine/rebuild/bulk-statements';
import { OPERATION_WORDS, type OrderStatusView } from '../order-status/order-status.view';

export const orderListTable = (generation: number): `order_status_g${number}_list` => `order_status_g${generation}_list`;

const COLUMNS = {
  created_at: 'bigint',
  stream: 'text',
  updated_at: 'bigint',
  merchant: 'text',
  endpoint_id: 'text',
  kind: 'text',
  operation: 'text',
  status: 'text',
  stage: 'text',
  currency: 'text',
  amount_minor: 'bigint',
  gate: 'text',
  code: 'bigint',
  is_usual: 'bigint',
} as const satisfies Columns;

type Shown = Pick<OrderStatusView, 'operation' | 'status' | 'stage'>;

/** Most orders end approved or declined without later changes. All others have separate, small indexes. */
export const isUsual = ({ operation, status, stage }: Shown): boolean =>
  (status === 'approved' || status === 'declined') && stage === `${OPERATION_WORDS[operation].stage}_${status}`;

const valuesOf = (stream: StreamName, view: OrderStatusView, recordedAt: Instant): readonly ColumnValue[] => [
  view.acceptedAt,
  stream,
  recordedAt,
  view.merchant,
  view.endpointId,
  view.kind,
  view.operation,
  view.status,
  view.stage,
  view.currency,
  Number(view.amountMinor),
  view.gate?.alias ?? null,
  view.code,
  isUsual(view) ? 1 : 0,
];

/** Rows are stored newest first, so this order needs no index. */
const create = async (db: Db, table: string): Promise<void> => {
  const isServer = isPostgres(db);
  // A cursor compares stream names byte by byte, whatever the database's collation.
  const made = db.schema
    .createTable(table)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('stream', isServer ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('merchant', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount_minor', 'bigint', (column) => column.notNull())
    .addColumn('gate', 'text')
    .addColumn('code', 'bigint')
    .addColumn('is_usual', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${table}_newest`, ['created_at', 'stream']);
  await (isServer ? made : made.modifyEnd(sql`without rowid`)).execute();
};

const PARTIAL_INDEXES = {
  code: ['code', sql<boolean>`code is not null`],
  status: ['status', sql<boolean>`is_usual = 0`],
  stage: ['stage', sql<boolean>`is_usual = 0`],
} as const;

const index = async (db: Db, table: string): Promise<void> => {
  for (const column of ['merchant', 'endpoint_id'])
    await db.schema.createIndex(`${table}_${column}`).on(table).columns([column, 'created_at', 'stream']).execute();
  for (const [name, [column, condition]] of Object.entries(PARTIAL_INDEXES))
    await db.schema.createIndex(`${table}_${name}`).on(table).columns([column, 'created_at', 'stream']).where(condition).execute();
};

/** In the same generation as the orders' rows, so that the two never differ. */
export const orderListCompanion: CompanionShape<OrderStatusView> = {
  tableOf: (name) => `${name}_list`,
  key: ['created_at', 'stream'],
  columns: COLUMNS,
  fixed: ['merchant', 'endpoint_id', 'kind', 'operation', 'currency'],
  valuesOf,
  create,
  index,
};
