import { sql, type RawBuilder } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Db } from './database/tables';
import { isPostgres } from './rebuild/bulk-statements';

/** A place in a list that is ordered by time, then by stream. */
export interface ListPlace {
  readonly at: Instant;
  /** Or the key of a table whose rows are not streams. */
  readonly stream: StreamName;
}

type Value = string | number;

/** Rows with one of several values in each of an index's first columns. One `in` for several values would sort all of their rows. */
export interface IndexParts {
  readonly table: string;
  /** By column, in the order of the index. */
  readonly values: Readonly<Record<string, readonly Value[]>>;
  /** The index's next column: a time. */
  readonly time: string;
  /** The index's last column. Default: `stream`. */
  readonly key?: string;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly after?: ListPlace | undefined;
  /** The literal condition of a partial index. */
  readonly where?: RawBuilder<boolean>;
  readonly isNewestFirst?: boolean;
}

/** `COUNTED_MAX` means this many or more. */
export interface Counted {
  readonly count: number;
  readonly oldestAt: Instant | undefined;
}

/** Keeps frequent counts cheap if many rows match. */
export const COUNTED_MAX = 10_000;

/** SQLite takes at most 500 selects in one statement. */
const PARTS_MAX = 400;
const PARTS_MAX_POSTGRES = 4_000;

const combined = (values: IndexParts['values']): readonly (readonly (readonly [column: string, value: Value])[])[] =>
  Object.entries(values).reduce<readonly (readonly (readonly [string, Value])[])[]>(
    (made, [column, of]) => made.flatMap((one) => of.map((value) => [...one, [column, value] as const])),
    [[]],
  );

const selectsOf = (
  { table, values, time, key = 'stream', since, until, after, where, isNewestFirst }: IndexParts,
  limit: number,
): readonly RawBuilder<unknown>[] => {
  const direction = isNewestFirst === true ? sql`desc` : sql`asc`;
  const [at, last] = [sql.ref(time), sql.ref(key)];
  const beyond = isNewestFirst === true ? sql`<` : sql`>`;
  const range = [
    ...(where === undefined ? [] : [where]),
    ...(since === undefined ? [] : [sql`${at} >= ${since}`]),
    ...(until === undefined ? [] : [sql`${at} < ${until}`]),
    ...(after === undefined ? [] : [sql`(${at}, ${last}) ${beyond} (${after.at}, ${after.stream})`]),
  ];
  return combined(values).map((prefix) => {
    const conditions = [...prefix.map(([column, value]) => sql`${sql.ref(column)} = ${value}`), ...range];
    const matching = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
    return sql`select ${at} as at, ${last} as stream from ${sql.table(table)} where ${matching} order by ${at} ${direction}, ${last} ${direction} limit ${limit}`;
  });
};

const inStatements = (db: Db, selects: readonly RawBuilder<unknown>[]): readonly (readonly RawBuilder<unknown>[])[] => {
  const size = isPostgres(db) ? PARTS_MAX_POSTGRES : PARTS_MAX;
  return Array.from({ length: Math.ceil(selects.length / size) }, (_, index) => selects.slice(index * size, (index + 1) * size));
};

const united = (selects: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(selects, sql` union all `);

/** The first `limit` places over all parts. */
export const placesIn = async (db: Db, parts: IndexParts, limit: number): Promise<readonly ListPlace[]> => {
  const { isNewestFirst } = parts;
  const direction = isNewestFirst === true ? sql`desc` : sql`asc`;
  const places: ListPlace[] = [];
  const statements = inStatements(db, selectsOf(parts, limit));
  for (const selects of statements) {
    const { rows } = await sql<{ readonly at: number; readonly stream: StreamName }>`
      select at, stream from (${united(selects.map((one) => sql`select * from (${one}) as part`))}) as parts
      order by at ${direction}, stream ${direction} limit ${limit}`.execute(db);
    places.push(...rows.map(({ at, stream }) => ({ at: Number(at) as Instant, stream })));
  }
  if (statements.length <= 1) return places;
  const sign = isNewestFirst === true ? -1 : 1;
  return places.sort((a, b) => sign * (a.at - b.at || (a.stream < b.stream ? -1 : 1))).slice(0, limit);
};

/** Reads at most `countedMax` rows of each part. */
export const countIn = async (db: Db, parts: Omit<IndexParts, 'after' | 'isNewestFirst'>, countedMax = COUNTED_MAX): Promise<Counted> => {
  let count = 0;
  let oldest = Infinity;
  for (const selects of inStatements(db, selectsOf(parts, countedMax))) {
    const counted = selects.map((one) => sql`select count(*) as count, min(at) as oldest from (${one}) as part`);
    const { rows } = await sql<{ readonly count: number; readonly oldest: number | null }>`${united(counted)}`.execute(db);
    for (const row of rows) {
      count += Number(row.count);
      if (row.oldest !== null) oldest = Math.min(oldest, Number(row.oldest));
    }
  }
  return { count: Math.min(count, countedMax), oldestAt: count === 0 ? undefined : (oldest as Instant) };
};
