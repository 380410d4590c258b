import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Projection } from './projection';
import { servingGenerations } from './register';
import type { Db } from './tables';

/** What the serving generation of one projection holds, so that two moments can be held against each other. */
export interface ProjectionContents {
  readonly projection: string;
  /** Undefined while it has never been built. */
  readonly generation: number | undefined;
  readonly rows: number;
  /** Of all rows in whatever order: the same rows have the same digest. */
  readonly digest: string;
}

const ROW_DIGEST_BYTES = 8;
/** Rows between two looks at what else this process has to do. */
const ROWS_AT_ONCE = 500;

const rowDigest = (row: object): bigint =>
  createHash('sha256').update(JSON.stringify(row)).digest().subarray(0, ROW_DIGEST_BYTES).readBigUInt64BE();

/** Reads every row once, in constant memory. A generation of another shape is counted as it is. */
export const contentsOf = async (db: Db, projections: readonly Projection[]): Promise<readonly ProjectionContents[]> => {
  const serving = await servingGenerations(db);
  const contents: ProjectionContents[] = [];
  for (const { name, table } of projections) {
    const generation = serving.get(name)?.generation;
    let rows = 0;
    let sum = 0n;
    if (generation !== undefined) {
      const query = sql<object>`select * from ${sql.table(table(generation, false).name)}`.compile(db);
      for await (const {
        rows: [row],
      } of db.getExecutor().stream<object>(query, ROWS_AT_ONCE)) {
        if (row === undefined) continue;
        rows += 1;
        sum = BigInt.asUintN(ROW_DIGEST_BYTES * 8, sum + rowDigest(row));
      }
    }
    contents.push({ projection: name, generation, rows, digest: sum.toString(16).padStart(ROW_DIGEST_BYTES * 2, '0') });
  }
  return contents;
};
