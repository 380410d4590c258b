import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { openWorkProjectionName } from './read-models/open-work/open-work.table';
import { MENTIONS } from './read-models/mentions/mentions.table';
import { ORDER_SEARCH } from './read-models/order-search/order-search.table';
import type { Projection } from './engine/projection';
import { servingGenerations } from './engine/projection-registry';
import type { Db } from './engine/database/tables';

/** A digest of a projection's serving generation, for comparing two points in time. */
export interface ProjectionContents {
  readonly projection: string;
  /** Undefined while it has never been built. */
  readonly generation: number | undefined;
  readonly rows: number;
  /** SHA-256 over the rows in the order of their keys. */
  readonly digest: string;
}

/** Rows of one query, so that memory stays bounded and the process can do other work in between. */
const PAGE_ROWS = 1_000;

/** Rows of open work, of the search and of mentions have a `key`; all others are identified by their stream. */
export const keyOf = (projection: string): 'key' | 'stream' =>
  projection === ORDER_SEARCH || projection === MENTIONS || projection.startsWith(openWorkProjectionName('')) ? 'key' : 'stream';

/** Reads every row once, in the order of keys. A generation of another shape is included unchanged. */
export const contentsOf = async (db: Db, projections: readonly Projection[]): Promise<readonly ProjectionContents[]> => {
  const serving = await servingGenerations(db);
  const contents: ProjectionContents[] = [];
  for (const { name, table } of projections) {
    const generation = serving.get(name)?.generation;
    const rows = generation === undefined ? NOTHING : await rowsOf(db, table(generation, false).name, keyOf(name));
    contents.push({ projection: name, generation, ...rows });
  }
  return contents;
};

export const NOTHING = { rows: 0, digest: createHash('sha256').digest('hex') };

/** @param without a column that two folds of one log may have differently */
export const rowsOf = async (
  db: Db,
  table: string,
  key: 'key' | 'stream',
  without?: string,
): Promise<Pick<ProjectionContents, 'rows' | 'digest'>> => {
  const digest = createHash('sha256');
  const column = sql.ref(key);
  let rows = 0;
  let last = '';
  for (;;) {
    const query = sql<
      Readonly<Record<string, unknown>>
    >`select * from ${sql.table(table)} where ${column} > ${last} order by ${column} limit ${PAGE_ROWS}`;
    const page = (await query.execute(db)).rows;
    for (const row of page) digest.update(JSON.stringify(without === undefined ? row : { ...row, [without]: undefined })).update('\n');
    rows += page.length;
    if (page.length < PAGE_ROWS) return { rows, digest: digest.digest('hex') };
    last = String(page.at(-1)?.[key]);
  }
};
