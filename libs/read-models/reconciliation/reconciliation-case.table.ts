import { sql } from 'kysely';
import type { Columns, ColumnValue } from '../engine/rebuild/bulk-statements';
import type { Db } from '../engine/database/tables';
import { foldedColumns, FoldedTable, type Fold } from '../engine/folded-table';
import type { Projection } from '../engine/projection';
import { foldReconciliationCase } from './reconciliation-case.fold';
import type { ReconciliationCaseView } from './reconciliation-case.view';

export const RECONCILIATION_CASES = 'reconciliation-cases';

export const reconciliationCasesTable = (generation: number): `reconciliation_cases_g${number}` => `reconciliation_cases_g${generation}`;

const COLUMNS = { gate: 'text', kind: 'text', opened_at: 'bigint', is_open: 'bigint' } as const satisfies Columns;

export const SELECTED = foldedColumns(COLUMNS);

/** Without the opening time: a case may be opened again. */
const FIXED = ['gate', 'kind'];

const valuesOf = ({ gate, kind, openedAt, status }: ReconciliationCaseView): readonly ColumnValue[] => [
  gate,
  kind,
  openedAt,
  status === 'open' ? 1 : 0,
];

const create = async (db: Db, table: string): Promise<void> => {
  await db.schema
    .createTable(table)
    .addColumn('stream', 'text', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('gate', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'bigint', (column) => column.notNull())
    .addColumn('is_open', 'bigint', (column) => column.notNull())
    .addColumn('view', 'text', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute();
  // Contains only open cases, which each metrics scrape counts.
  await db.schema
    .createIndex(`${table}_open`)
    .on(table)
    .columns(['gate', 'kind', 'opened_at', 'stream'])
    .where(sql<boolean>`is_open = 1`)
    .execute();
};

const index = async (db: Db, table: string): Promise<void> => {
  await db.schema.createIndex(`${table}_opened`).on(table).columns(['opened_at', 'stream']).execute();
};

const isFinished = ({ status }: ReconciliationCaseView): boolean => status !== 'open';

export const reconciliationCasesProjection: Projection = {
  name: RECONCILIATION_CASES,
  categories: ['reconciliation'],
  shape: 1,
  table: (generation, isBuilding, log) =>
    new FoldedTable<ReconciliationCaseView>(
      reconciliationCasesTable(generation),
      // The category's codec decodes no other events, so the cast is safe.
      { fold: foldReconciliationCase as Fold<ReconciliationCaseView>, isFinished, columns: COLUMNS, fixed: FIXED, valuesOf, create, index },
      isBuilding,
      log,
    ),
};
