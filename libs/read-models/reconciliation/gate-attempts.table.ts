import type { Instant } from '@app/kernel';
import type { Columns, ColumnValue } from '../engine/rebuild/bulk-statements';
import type { Db } from '../engine/database/tables';
import { foldedColumns, FoldedTable, type Fold } from '../engine/folded-table';
import type { Projection } from '../engine/projection';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import { foldGateAttempts } from './gate-attempts.fold';
import type { GateAttemptsView } from './gate-attempts.view';

export const GATE_ATTEMPTS = 'gate-attempts';

export const gateAttemptsTable = (generation: number): `gate_attempts_g${number}` => `gate_attempts_g${generation}`;

const COLUMNS = { accepted_at: 'bigint', touched_at: 'bigint' } as const satisfies Columns;

export const SELECTED = foldedColumns(COLUMNS);

const FIXED = ['accepted_at'];

const valuesOf = ({ acceptedAt }: GateAttemptsView, recordedAt: Instant): readonly ColumnValue[] => [acceptedAt, recordedAt];

const create = async (db: Db, table: string): Promise<void> => {
  await db.schema
    .createTable(table)
    .addColumn('stream', 'text', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('accepted_at', 'bigint', (column) => column.notNull())
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .addColumn('view', 'text', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute();
};

const index = async (db: Db, table: string): Promise<void> => {
  await db.schema.createIndex(`${table}_touched`).on(table).columns(['touched_at', 'stream']).execute();
};

const isFinished = ({ asked }: GateAttemptsView): boolean =>
  asked.length > 0 && asked.every(({ status }) => status !== 'open' && status !== 'accepted');

export const gateAttemptsProjection: Projection = {
  name: GATE_ATTEMPTS,
  categories: ORDER_STATUS_CATEGORIES,
  shape: 1,
  table: (generation, isBuilding, log) =>
    new FoldedTable<GateAttemptsView>(
      gateAttemptsTable(generation),
      // The codecs of these categories decode no other events, so the cast is safe.
      { fold: foldGateAttempts as Fold<GateAttemptsView>, isFinished, columns: COLUMNS, fixed: FIXED, valuesOf, create, index },
      isBuilding,
      log,
    ),
};
