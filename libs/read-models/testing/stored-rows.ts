import { sql } from 'kysely';
import type { ReadModelDatabase } from '../engine/database/database';
import { READ_MODELS } from '../projection-list';
import { lanesTable, openWorkProjectionName, openWorkTable } from '../work/open-work.table';

/** The projections of a read model with the work table of `written-log.ts`. */
export const PROJECTIONS: readonly string[] = [...READ_MODELS.map(({ name }) => name), openWorkProjectionName('orders')];

export const tablesOf = (generation: number): readonly string[] => {
  const work = openWorkTable('orders', generation);
  return [...READ_MODELS.flatMap(({ table }) => table(generation, false).tables), work, lanesTable(work)];
};

/** Rows of counters have no key of their projection. */
const textOf = (row: Rows[number], key: string): string => JSON.stringify([row[key], row]);

type Rows = readonly Readonly<Record<string, unknown>>[];
/** By table, without its generation. */
export type StoredRows = Readonly<Record<'order_status' | 'card_reference' | 'open_work_orders' | 'parked', Rows>>;

/**
 * Leaves out generation and time of parking, which differ between histories of one log.
 * @throws Error for an unknown projection
 */
export const storedRows = async ({ writes: db }: ReadModelDatabase): Promise<StoredRows> => {
  const generations = new Map(
    (await db.selectFrom('generations').selectAll().execute()).map((row) => [row.projection, Number(row.generation)]),
  );
  const unread = [...generations.keys()].filter((projection) => !PROJECTIONS.includes(projection));
  if (unread.length > 0) throw new Error(`the rows of ${unread.join(', ')} would not be compared`);
  const rows: Record<string, Rows> = {};
  const read = async (table: string, key: string): Promise<void> => {
    const stored = await sql<Rows[number]>`select * from ${sql.table(table)}`.execute(db);
    const ordered = stored.rows.map((row) => ({ ...row })).sort((a, b) => (textOf(a, key) < textOf(b, key) ? -1 : 1));
    rows[table.replace(/_g\d+/, '')] = ordered;
  };
  for (const { name, table } of READ_MODELS) {
    const { tables, key } = table(generations.get(name) ?? 0, false);
    for (const one of tables) await read(one, key);
  }
  await read(openWorkTable('orders', generations.get(openWorkProjectionName('orders')) ?? 0), 'key');
  const parked = await db
    .selectFrom('parked')
    .select(['projection', 'stream', 'revision', 'event_id', 'error'])
    .orderBy('projection')
    .orderBy('stream')
    .execute();
  return { ...rows, parked: parked.map((row) => ({ ...row })) } as unknown as StoredRows;
};
