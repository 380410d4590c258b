import type { Columns, ColumnValue } from '../engine/rebuild/bulk-statements';
import { foldedColumns, FoldedTable, type Fold } from '../engine/folded-table';
import type { Projection } from '../engine/projection';
import type { Db } from '../engine/database/tables';
import { foldCardReference } from './card-reference.fold';
import type { CardReferenceView } from './card-reference.view';

export const CARD_REFERENCE = 'card-reference';

export const cardReferenceTable = (generation: number): `card_reference_g${number}` => `card_reference_g${generation}`;

const COLUMNS = {
  merchant: 'text',
  card_ref_id: 'text',
  card_uid: 'text',
  card_use: 'text',
  issued_at: 'bigint',
} as const satisfies Columns;

export const SELECTED = foldedColumns(COLUMNS);

const valuesOf = ({ merchant, cardRefId, card, use, issuedAt }: CardReferenceView): readonly ColumnValue[] => [
  merchant,
  cardRefId,
  card.uid,
  use,
  issuedAt,
];

const create = async (db: Db, table: string): Promise<void> => {
  await db.schema
    .createTable(table)
    .addColumn('stream', 'text', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('merchant', 'text', (column) => column.notNull())
    .addColumn('card_ref_id', 'text', (column) => column.notNull())
    .addColumn('card_uid', 'text', (column) => column.notNull())
    .addColumn('card_use', 'text', (column) => column.notNull())
    .addColumn('issued_at', 'bigint', (column) => column.notNull())
    .addColumn('view', 'text', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute();
};

const index = async (db: Db, table: string): Promise<void> => {
  await db.schema.createIndex(`${table}_reference`).on(table).columns(['merchant', 'card_ref_id']).unique().execute();
  await db.schema.createIndex(`${table}_card`).on(table).columns(['merchant', 'card_uid', 'issued_at']).execute();
};

const isFinished = (): boolean => true;

/** The read model behind get-card-info and the choice of a registered card (interface, section 2.3). */
export const cardReferenceProjection: Projection = {
  name: CARD_REFERENCE,
  categories: ['cardReference'],
  shape: 2,
  table: (generation, isBuilding, log) =>
    new FoldedTable<CardReferenceView>(
      cardReferenceTable(generation),
      {
        fold: foldCardReference as Fold<CardReferenceView>,
        isFinished,
        columns: COLUMNS,
        fixed: Object.keys(COLUMNS),
        valuesOf,
        create,
        index,
      },
      isBuilding,
      log,
    ),
};
