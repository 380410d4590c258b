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

type Part = readonly (readonly [column: string, value: Value])[];

const combined = (values: IndexParts['values']): readonly Part[] =>
  Object.entries(values).reduce<readonly Part[]>(
    (made, [column, of]) => made.flatMap((one) => of.map((value) => [...one, [column, value] as const])),
    [[]],
  );

const timesOf = ({
  time,
  key = 'stream',
  since,
  until,
  after,
  where,
  isNewestFirst,
}: Omit<IndexParts, 'values'>): readonly RawBuilder<unknown>[] => {
  const [at, last] = [sql.ref(time), sql.ref(key)];
  const beyond = isNewestFirst === true ? sql`<` : sql`>`;
  return [
    ...(where === undefined ? [] : [where]),
    ...(since === undefined ? [] : [sql`${at} >= ${since}`]),
    ...(until === undefined ? [] : [sql`${at} < ${until}`]),
    ...(after === undefined ? [] : [sql`(${at}, ${last}) ${beyond} (${after.at}, ${after.stream})`]),
  ];
};

const directionOf = ({ isNewestFirst }: Pick<IndexParts, 'isNewestFirst'>): RawBuilder<unknown> =>
  isNewestFirst === true ? sql`desc` : sql`asc`;

const selectOf = (
  parts: Omit<IndexParts, 'values'>,
  conditions: readonly RawBuilder<unknown>[],
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const { table, time, key = 'stream' } = parts;
  const [at, last, direction] = [sql.ref(time), sql.ref(key), directionOf(parts)];
  const all = [...conditions, ...timesOf(parts)];
  const matching = all.length === 0 ? sql`true` : sql.join(all, sql` and `);
  return sql`select ${at} as at, ${last} as stream from ${sql.table(table)} where ${matching} order by ${at} ${direction}, ${last} ${direction} limit ${limit}`;
};

const ofPart = (part: Part): readonly RawBuilder<unknown>[] => part.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);

const selectsOf = (parts: IndexParts, limit: number): readonly RawBuilder<unknown>[] =>
  combined(parts.values).map((part) => selectOf(parts, ofPart(part), sql`${limit}`));

const inStatements = (db: Db, selects: readonly RawBuilder<unknown>[]): readonly (readonly RawBuilder<unknown>[])[] => {
  const size = isPostgres(db) ? PARTS_MAX_POSTGRES : PARTS_MAX;
  return Array.from({ length: Math.ceil(selects.length / size) }, (_, index) => selects.slice(index * size, (index + 1) * size));
};

const united = (selects: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(selects, sql` union all `);

interface PlaceRow {
  readonly part: number;
  readonly at: number;
  readonly stream: StreamName;
}

/** How many rows are read of each part. */
type Most = readonly number[];

/** Merges the parts: takes the first place of all, then asks its part for the next one. Visits one row for each part, and the rows of the page. */
const merged = ({ values, ...parts }: IndexParts, all: readonly Part[], limit: number): RawBuilder<PlaceRow> => {
  const { time, key = 'stream' } = parts;
  const columns = Object.keys(values);
  const direction = directionOf(parts);
  const beyond = parts.isNewestFirst === true ? sql`<` : sql`>`;
  const of = columns.map((column) => sql.ref(`of_${column}`));
  const nextIn = (from: 'given' | 'found', conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => {
    const own = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`${from}.of_${column}`)}`);
    const next = sql`select json_array(json_array(at, stream)) from (${selectOf(parts, [...own, ...conditions], sql.lit(1))})`;
    const kept = ['part', ...columns.map((column) => `of_${column}`)].map((column) => sql.ref(`${from}.${column}`));
    // No row at the end of a part, for which json_each gets null.
    return sql`select ${sql.join(kept)}, next.value ->> 0, next.value ->> 1 from ${sql.id(from)} join json_each((${next})) as next`;
  };
  const texts = JSON.stringify(all.map((part) => part.map(([, value]) => value)));
  const given = [sql.ref('key'), ...columns.map((_column, index) => sql`value ->> ${sql.lit(index)}`)];
  const places = [sql.ref('part'), ...of, sql.ref('at'), sql.ref('stream')];
  const [at, stream] = [sql.lit(places.length - 1), sql.lit(places.length)];
  return sql<PlaceRow>`
    with recursive given(${sql.join([sql.ref('part'), ...of])}) as (select ${sql.join(given)} from json_each(${texts})),
    found(${sql.join(places)}) as (
      ${nextIn('given', [])} union all ${nextIn('found', [sql`(${sql.ref(time)}, ${sql.ref(key)}) ${beyond} (found.at, found.stream)`])}
      order by ${at} ${direction}, ${stream} ${direction} limit ${limit}
    ) select part, at, stream from found`;
};

/** One select for all parts, because PostgreSQL would plan each select of a union. */
const joined = (parts: IndexParts, all: readonly Part[], most: Most, limit: number): RawBuilder<PlaceRow> => {
  const columns = Object.keys(parts.values);
  const direction = directionOf(parts);
  const given = columns.map((_column, index) => {
    const values = all.map((part) => part[index]?.[1]);
    return typeof values[0] === 'number' ? sql`${values}::bigint[]` : sql`${values}::text[]`;
  });
  const names = [...columns.map((column) => sql.ref(`of_${column}`)), sql.ref('most'), sql.ref('number')];
  const own = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`given.of_${column}`)}`);
  return sql<PlaceRow>`
    select given.number - 1 as part, found.at, found.stream
    from unnest(${sql.join([...given, sql`${most}::int[]`])}) with ordinality as given(${sql.join(names)})
    cross join lateral (${selectOf(parts, own, sql.ref('given.most'))}) as found
    order by at ${direction}, stream ${direction} limit ${limit}`;
};

/** With more parts, each has few of the page's rows. */
const FEW_PARTS = 16;
const READ_FIRST_MIN = 4;

/** A part of which all rows that were read are on the page may have others on it. */
const mostAfter = (rows: readonly PlaceRow[], most: Most, limit: number): Most => {
  const shown = most.map(() => 0);
  for (const { part } of rows) shown[Number(part)] = (shown[Number(part)] ?? 0) + 1;
  return most.map((read, part) => (shown[part] === read ? limit : read));
};

const joinedRows = async (db: Db, parts: IndexParts, all: readonly Part[], limit: number): Promise<readonly PlaceRow[]> => {
  const first = all.length <= FEW_PARTS ? limit : Math.min(limit, Math.max(READ_FIRST_MIN, Math.ceil((2 * limit) / all.length)));
  const most = all.map(() => first);
  const { rows } = await joined(parts, all, most, limit).execute(db);
  const others = mostAfter(rows, most, limit);
  return first === limit || !others.includes(limit) ? rows : (await joined(parts, all, others, limit).execute(db)).rows;
};

/** The first `limit` places over all parts. */
export const placesIn = async (db: Db, parts: IndexParts, limit: number): Promise<readonly ListPlace[]> => {
  const all = combined(parts.values);
  if (all.length === 0) return [];
  const rows = isPostgres(db) ? await joinedRows(db, parts, all, limit) : (await merged(parts, all, limit).execute(db)).rows;
  return rows.map(({ at, stream }) => ({ at: Number(at) as Instant, stream }));
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
