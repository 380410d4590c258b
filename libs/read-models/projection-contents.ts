import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from './engine/database/tables';
import type { Projection, ProjectionTable } from './engine/projection';
import { servingGenerations } from './engine/projection-registry';

/** A digest of a projection's serving generation, for comparing two points in time. */
export interface ProjectionContents {
  readonly projection: string;
  readonly generation: number | undefined;
  readonly rows: number;
  readonly digest: string;
}

const PAGE_ROWS = 1_000;

/** Reads every row. A generation of another shape is included unchanged. */
export const contentsOf = async (db: Db, projections: readonly Projection[]): Promise<readonly ProjectionContents[]> => {
  const serving = await servingGenerations(db);
  const contents: ProjectionContents[] = [];
  for (const { name, table } of projections) {
    const generation = serving.get(name)?.generation;
    const digest = createHash('sha256');
    let rows = 0;
    if (generation !== undefined) {
      for await (const page of pagesOf(db, table(generation, false))) {
        for (const row of page) digest.update(JSON.stringify(row)).update('\n');
        rows += page.length;
      }
    }
    contents.push({ projection: name, generation, rows, digest: digest.digest('hex') });
  }
  return contents;
};

export async function* pagesOf(
  db: Db,
  { name, key }: Pick<ProjectionTable, 'name' | 'key'>,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const column = sql.ref(key);
  for (let last = ''; ;) {
    const query = sql<Readonly<Record<string, unknown>>>`select * from ${sql.table(name)} where ${column} > ${last} order by ${column} limit ${PAGE_ROWS}`; // prettier-ignore
    const { rows } = await query.execute(db);
    yield rows;
    if (rows.length < PAGE_ROWS) return;
    last = String(rows.at(-1)?.[key]);
  }
}
