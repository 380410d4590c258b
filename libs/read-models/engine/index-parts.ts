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

const every = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

const selectOf = (
  parts: Omit<IndexParts, 'values'>,
  conditions: readonly RawBuilder<unknown>[],
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const { table, time, key = 'stream' } = parts;
  const [at, last, direction] = [sql.ref(time), sql.ref(key), directionOf(parts)];
  const matching = every([...conditions, ...timesOf(parts)]);
  return sql`select ${at} as at, ${last} as stream from ${sql.table(table)} where ${matching} order by ${at} ${direction}, ${last} ${direction} limit ${limit}`;
};

interface PlaceRow {
  readonly part: number;
  readonly at: number;
  readonly stream: StreamName;
}

/** How many rows are read of each part. */
type Most = readonly number[];

/** A common table of the parts, for SQLite. */
const givenIn = (columns: readonly string[], all: readonly Part[]): RawBuilder<unknown> => {
  const names = ['part', ...columns.map((column) => `of_${column}`)].map((name) => sql.ref(name));
  const values = [sql.ref('key'), ...columns.map((_column, index) => sql`value ->> ${sql.lit(index)}`)];
  const texts = JSON.stringify(all.map((part) => part.map(([, value]) => value)));
  return sql`given(${sql.join(names)}) as (select ${sql.join(values)} from json_each(${texts}))`;
};

const ownOf = (columns: readonly string[]): readonly RawBuilder<unknown>[] =>
  columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`given.of_${column}`)}`);

/** The first rows of each part, for SQLite, whose limits cannot differ by part. */
const firstOfEach = ({ values, ...parts }: IndexParts, all: readonly Part[], most: number): RawBuilder<PlaceRow> => {
  const columns = Object.keys(values);
  const first = sql`select json_group_array(json_array(at, stream)) from (${selectOf(parts, ownOf(columns), sql`${most}`)})`;
  return sql<PlaceRow>`
    with ${givenIn(columns, all)}
    select part, found.value ->> 0 as at, found.value ->> 1 as stream from given join json_each((${first})) as found`;
};

/** A table of the parts, and of how many rows are read of each, for PostgreSQL. */
const givenAs = (columns: readonly string[], all: readonly Part[], most: Most): RawBuilder<unknown> => {
  const given = columns.map((_column, index) => {
    const values = all.map((part) => part[index]?.[1]);
    return typeof values[0] === 'number' ? sql`${values}::bigint[]` : sql`${values}::text[]`;
  });
  const names = [...columns.map((column) => sql.ref(`of_${column}`)), sql.ref('most'), sql.ref('number')];
  return sql`unnest(${sql.join([...given, sql`${most}::int[]`])}) with ordinality as given(${sql.join(names)})`;
};

/** One select for all parts, because PostgreSQL would plan each select of a union. */
const joined = ({ values, ...parts }: IndexParts, all: readonly Part[], most: Most, limit: number): RawBuilder<PlaceRow> => {
  const columns = Object.keys(values);
  const direction = directionOf(parts);
  return sql<PlaceRow>`
    select given.number - 1 as part, found.at, found.stream from ${givenAs(columns, all, most)}
    cross join lateral (${selectOf(parts, ownOf(columns), sql.ref('given.most'))}) as found
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

const mostAtFirst = (parts: number, limit: number): number =>
  parts <= FEW_PARTS ? limit : Math.min(limit, Math.max(READ_FIRST_MIN, Math.ceil((2 * limit) / parts)));

const joinedRows = async (db: Db, parts: IndexParts, all: readonly Part[], limit: number): Promise<readonly PlaceRow[]> => {
  const first = mostAtFirst(all.length, limit);
  const most = all.map(() => first);
  const { rows } = await joined(parts, all, most, limit).execute(db);
  const others = mostAfter(rows, most, limit);
  return first === limit || !others.includes(limit) ? rows : (await joined(parts, all, others, limit).execute(db)).rows;
};

const mergedRows = async (db: Db, parts: IndexParts, all: readonly Part[], limit: number): Promise<readonly PlaceRow[]> => {
  const sign = parts.isNewestFirst === true ? -1 : 1;
  const pageOf = (rows: readonly PlaceRow[]): readonly PlaceRow[] =>
    rows.toSorted((a, b) => sign * (a.at - b.at || (a.stream < b.stream ? -1 : 1))).slice(0, limit);
  const first = mostAtFirst(all.length, limit);
  const { rows } = await firstOfEach(parts, all, first).execute(db);
  const page = pageOf(rows);
  if (first === limit) return page;
  const most = mostAfter(
    page,
    all.map(() => first),
    limit,
  );
  const others = all.filter((_part, index) => most[index] === limit);
  if (others.length === 0) return page;
  const { rows: more } = await firstOfEach(parts, others, limit).execute(db);
  return pageOf([...rows.filter(({ part }) => most[part] !== limit), ...more]);
};

/** The first `limit` places over all parts. */
export const placesIn = async (db: Db, parts: IndexParts, limit: number): Promise<readonly ListPlace[]> => {
  const all = combined(parts.values);
  if (all.length === 0) return [];
  const rows = await (isPostgres(db) ? joinedRows : mergedRows)(db, parts, all, limit);
  return rows.map(({ at, stream }) => ({ at: Number(at) as Instant, stream }));
};

/** The oldest first, without their keys. */
const timesIn = ({ table, ...parts }: Omit<IndexParts, 'values'>, own: readonly RawBuilder<unknown>[], limit: RawBuilder<unknown>) =>
  sql`select ${sql.ref(parts.time)} as at from ${sql.table(table)} where ${every([...own, ...timesOf({ table, ...parts })])}
    order by ${sql.ref(parts.time)} limit ${limit}`;

interface CountRow {
  readonly count: number | null;
  readonly oldest: number | null;
}

/** Counts each part by itself: with one join of all parts, SQLite may take an index that does not begin with their columns. */
const countedSqlite = ({ values, ...parts }: IndexParts, all: readonly Part[], countedMax: number): RawBuilder<CountRow> => {
  const columns = Object.keys(values);
  const times = timesIn(parts, ownOf(columns), sql`${countedMax}`);
  return sql<CountRow>`
    with ${givenIn(columns, all)},
    counted(of) as (select (select json_array(count(*), min(at)) from (${times})) from given)
    select sum(of ->> 0) as count, min(of ->> 1) as oldest from counted`;
};

const countedPostgres = ({ values, ...parts }: IndexParts, all: readonly Part[], countedMax: number): RawBuilder<CountRow> => {
  const columns = Object.keys(values);
  const of = (limit: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`given cross join lateral (${timesIn(parts, ownOf(columns), limit)}) as part`;
  const most = all.map(() => countedMax);
  return sql<CountRow>`
    with given as (select * from ${givenAs(columns, all, most)})
    select (select count(*) from (select 1 from ${of(sql.ref('given.most'))} limit ${countedMax}) as counted) as count,
      (select min(part.at) from ${of(sql.lit(1))}) as oldest`;
};

/** Counts at most `countedMax`. */
export const countIn = async (db: Db, parts: Omit<IndexParts, 'after' | 'isNewestFirst'>, countedMax = COUNTED_MAX): Promise<Counted> => {
  const all = combined(parts.values);
  if (all.length === 0) return { count: 0, oldestAt: undefined };
  const counted = isPostgres(db) ? countedPostgres(parts, all, countedMax) : countedSqlite(parts, all, countedMax);
  const { rows } = await counted.execute(db);
  const [{ count, oldest } = { count: null, oldest: null }] = rows;
  return { count: Math.min(Number(count ?? 0), countedMax), oldestAt: oldest === null ? undefined : (Number(oldest) as Instant) };
};
