import { sql, type RawBuilder } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import { VerifiedRows } from '../engine/verified-rows';
import type { Db, FoldedRow } from '../engine/database/tables';
import { placesIn, type IndexParts } from '../engine/index-parts';
import type { Reader } from '../engine/reader';
import { CHECKSUM } from '../engine/row-checksum';
import { isPostgres } from '../engine/rebuild/bulk-statements';
import { entryKey } from '../engine/entry-table';
import { orderSearch } from './order-search.table';
import type { OrderStatusRecord } from '../order-status/order-status.queries';
import { orderStatuses } from '../order-status/order-status.table';
import type { OrderStatusView } from '../order-status/order-status.view';
import { isListed, type OrderListFilter } from './order-list.filter';
import { accessPath, createdRange, type AccessPath } from './order-list.path';
import { orderListCompanion } from './order-list.table';

export interface ListCursor {
  readonly createdAt: Instant;
  readonly stream: StreamName;
}

export interface ListedRecord extends OrderStatusRecord {
  readonly updatedAt: Instant;
}

export interface OrderListPage {
  readonly orders: readonly ListedRecord[];
  readonly next: ListCursor | undefined;
  /** True if the page is short because it reached the limit of examined orders. */
  readonly isCutShort: boolean;
}

export interface Named {
  /** Used if the identifiers match only a few orders. */
  readonly streams?: readonly StreamName[];
  readonly carrying?: readonly Carried[];
}

export interface Carried {
  readonly identifiers: readonly string[];
  readonly others?: readonly StreamName[];
}

export interface ListAsked {
  readonly limit: number;
  readonly after?: ListCursor | undefined;
  readonly named?: Named;
  /** Only orders of these merchants: no page, its end included, depends on orders of others. */
  readonly of?: readonly MerchantLogin[] | undefined;
  readonly lookedAtMax?: number;
  readonly deadline?: Deadline | undefined;
}

/** Bounds the cost of a page when no index answers its whole filter. */
export const LOOKED_AT_MAX = 4_000;
export const LOOKED_AT_FIRST_FACTOR = 4;
export const NAMED_STREAMS_MAX = 200;

interface ListRow extends FoldedRow {
  readonly listed_at: number;
  readonly touched_at: number;
}

interface PlaceRow {
  readonly created_at: number;
  readonly stream: string;
}

export const orderListTable = (generation: number): string => orderListCompanion.tableOf(orderStatuses.tableOf(generation));

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

const placeOf = ({ created_at, stream }: PlaceRow): ListCursor => ({
  createdAt: Number(created_at) as Instant,
  stream: stream as StreamName,
});

const newestFirst = (a?: ListCursor, b?: ListCursor): number => {
  const [one, other] = [a?.createdAt ?? 0, b?.createdAt ?? 0];
  if (one !== other) return other - one;
  return (a?.stream ?? '') < (b?.stream ?? '') ? 1 : -1;
};

const NEWEST_FIRST = sql`order by l.created_at desc, l.stream desc`;
const older = ({ createdAt, stream }: ListCursor): RawBuilder<unknown> => sql`(l.created_at, l.stream) < (${createdAt}, ${stream})`;
const notOlder = ({ createdAt, stream }: ListCursor): RawBuilder<unknown> => sql`(l.created_at, l.stream) >= (${createdAt}, ${stream})`;

/** The collation must match that of the column's index. Otherwise PostgreSQL reads the whole other table. */
const inOrderOf = (db: Db, column: string, order: 'C' | 'default'): RawBuilder<unknown> =>
  isPostgres(db) ? sql`${sql.ref(column)} collate ${sql.id(order)}` : sql.ref(column);

/** Lists orders of all merchants, newest first. Only for operators (safety, T11 and T43). */
export class OrderListQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<OrderStatusView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(orderStatuses, reader, projectFromLog);
  }

  /** @throws StoreUnavailable also if the deadline has passed */
  page(filter: OrderListFilter, asked: ListAsked): Promise<OrderListPage> {
    const whileUnbuilt: OrderListPage = { orders: [], next: undefined, isCutShort: false };
    const { named: { streams, carrying = [] } = {}, deadline } = asked;
    const of = asked.of?.filter((merchant) => (filter.merchant ?? merchant) === merchant);
    if (streams?.length === 0 || of?.length === 0) return Promise.resolve(whileUnbuilt);
    const ask = (db: Db, generation: number, carried: readonly RawBuilder<unknown>[]): Promise<OrderListPage> => {
      if (streams !== undefined) return this.#ofStreams(db, generation, filter, { ...asked, of, streams }, carried);
      if (of !== undefined && of.length > 1) return this.#merged(db, generation, filter, { ...asked, of }, carried);
      const path = accessPath({ ...filter, ...(of !== undefined && { merchant: of[0] }) }, of !== undefined);
      return this.#scanned(db, generation, { filter, path }, carried, asked);
    };
    if (carrying.length === 0)
      return this.#reader.read(orderStatuses.name, whileUnbuilt, (db, generation) => ask(db, generation, []), deadline);
    return this.#reader.read(
      orderSearch.name,
      whileUnbuilt,
      (_db, searched) =>
        this.#reader.read(
          orderStatuses.name,
          whileUnbuilt,
          (db, generation) =>
            ask(
              db,
              generation,
              carrying.map((carried) => carries(searched, carried)),
            ),
          deadline,
        ),
      deadline,
    );
  }

  /**
   * Walks the orders of each merchant on its own, because an index over several merchants would also pass those of others. The merchants
   * share the number of examined orders.
   */
  async #merged(
    db: Db,
    generation: number,
    filter: OrderListFilter,
    { of, limit, after, lookedAtMax = LOOKED_AT_MAX }: ListAsked & { readonly of: readonly MerchantLogin[] },
    carried: readonly RawBuilder<unknown>[],
  ): Promise<OrderListPage> {
    const scans = of.map((merchant) => scanOf(generation, accessPath({ ...filter, merchant }, true), carried, { limit, after }));
    const isIndexed = scans[0]?.checked.length === 0;
    const share = Math.max(1, Math.floor(lookedAtMax / of.length));
    const merged = isIndexed
      ? await newestPage(db, generation, filter, { of, limit, after })
      : mergedOf(await walksOf(db, scans, share, limit), limit);
    const { places, ...end } = merged;
    if (places.length === 0) return { orders: [], ...end };
    const rows = await rowsAt(
      db,
      generation,
      places.map(({ stream }) => stream),
      [],
    );
    return { orders: await this.#records(rows, filter), ...end };
  }

  async #ofStreams(
    db: Db,
    generation: number,
    filter: OrderListFilter,
    { streams, of, limit, after }: ListAsked & { readonly streams: readonly StreamName[] },
    carried: readonly RawBuilder<unknown>[],
  ): Promise<OrderListPage> {
    if (streams.length > NAMED_STREAMS_MAX) throw new Error(`a list is narrowed to ${streams.length} streams`);
    const { indexed, checked } = accessPath(filter);
    const ofMerchants = of === undefined ? [] : [sql`l.merchant in (${sql.join(of)})`];
    const conditions = [...ofMerchants, ...indexed, ...checked, ...carried, ...(after === undefined ? [] : [older(after)])];
    return this.#pageOf(await rowsAt(db, generation, streams, conditions, limit + 1), filter, limit, undefined);
  }

  /** Walks an index from the newest order. If it does not answer the whole filter, a short range is examined first. */
  async #scanned(
    db: Db,
    generation: number,
    { filter, path }: { readonly filter: OrderListFilter; readonly path: AccessPath },
    carried: readonly RawBuilder<unknown>[],
    { limit, after, lookedAtMax = LOOKED_AT_MAX }: ListAsked,
  ): Promise<OrderListPage> {
    const scan = scanOf(generation, path, carried, { limit, after });
    if (scan.checked.length === 0) return this.#pageOf(await rowsOf(db, scan), filter, limit, undefined);
    const first = Math.min(limit * LOOKED_AT_FIRST_FACTOR, lookedAtMax);
    let end = await endOf(db, scan, first);
    let rows = await rowsOf(db, scan, end);
    if (end !== undefined && rows.length <= limit && first < lookedAtMax) {
      end = await endOf(db, scan, lookedAtMax);
      rows = await rowsOf(db, scan, end);
    }
    return this.#pageOf(rows, filter, limit, end);
  }

  async #pageOf(rows: readonly ListRow[], filter: OrderListFilter, limit: number, end: ListCursor | undefined): Promise<OrderListPage> {
    const shown = rows.slice(0, limit);
    const orders = await this.#records(shown, filter);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      orders,
      next: last === undefined ? end : placeOf({ created_at: last.listed_at, stream: last.stream }),
      isCutShort: last === undefined && end !== undefined,
    };
  }

  async #records(rows: readonly ListRow[], filter: OrderListFilter): Promise<readonly ListedRecord[]> {
    const orders: ListedRecord[] = [];
    for (const row of rows) {
      const updatedAt = Number(row.touched_at) as Instant;
      const record = await this.#rows.record(row, () => true);
      if (record !== undefined && isListed(filter, { view: record.view, updatedAt })) orders.push({ ...record, updatedAt });
    }
    return orders;
  }
}

interface Scan {
  readonly list: RawBuilder<unknown>;
  readonly orders: RawBuilder<unknown>;
  readonly indexed: readonly RawBuilder<unknown>[];
  readonly checked: readonly RawBuilder<unknown>[];
  readonly rowsMax: number;
}

const scanOf = (
  generation: number,
  { indexed, checked }: AccessPath,
  carried: readonly RawBuilder<unknown>[],
  { limit, after }: Pick<ListAsked, 'limit' | 'after'>,
): Scan => ({
  list: sql.table(orderListTable(generation)),
  orders: sql.table(orderStatuses.tableOf(generation)),
  indexed: [...indexed, ...(after === undefined ? [] : [older(after)])],
  checked: [...checked, ...carried],
  rowsMax: limit + 1,
});

/**
 * The last order to examine; undefined if fewer remain. It is fixed before the rows are read, so orders inserted since
 * then cannot hide others.
 */
const endOf = async (db: Db, scan: Scan, lookedAt: number): Promise<ListCursor | undefined> => {
  const { rows } = await sql<PlaceRow>`${lastIn(scan, lookedAt)}`.execute(db);
  return rows[0] && placeOf(rows[0]);
};

const lastIn = ({ list, indexed }: Scan, lookedAt: number): RawBuilder<unknown> =>
  sql`select l.created_at, l.stream from ${list} as l where ${all(indexed)} ${NEWEST_FIRST} limit 1 offset ${lookedAt - 1}`;

/** A merchant's newest orders that match. */
interface Walk {
  readonly places: readonly ListCursor[];
  /** The last order that was examined, if others remain. */
  readonly end: ListCursor | undefined;
}

/** SQLite takes at most 500 selects in one statement. */
const SCANS_AT_ONCE = 400;

/** What each scan's own statement would return, by scan. */
const placesOfEach = async (db: Db, statements: readonly RawBuilder<unknown>[]): Promise<readonly (readonly ListCursor[])[]> => {
  const found = statements.map((): ListCursor[] => []);
  for (let from = 0; from < statements.length; from += SCANS_AT_ONCE) {
    const some = statements.slice(from, from + SCANS_AT_ONCE);
    const numbered = some.map((one, index) => sql`select ${sql.lit(from + index)} as scan, created_at, stream from (${one}) as scanned`);
    const { rows } = await sql<PlaceRow & { readonly scan: number }>`${sql.join(numbered, sql` union all `)}`.execute(db);
    for (const row of rows) found[row.scan]?.push(placeOf(row));
  }
  return found;
};

/** Of one page, each merchant usually has few orders. */
const FOUND_FIRST_MIN = 8;

/** @param lookedAt orders to examine of each merchant */
const walksOf = async (db: Db, scans: readonly Scan[], lookedAt: number, limit: number): Promise<readonly Walk[]> => {
  const ends = await placesOfEach(
    db,
    scans.map((scan) => lastIn(scan, lookedAt)),
  );
  const bounded = scans.map((scan, index) => ({ scan, end: ends[index]?.[0] }));
  const walk = async (some: typeof bounded, rowsMax: number): Promise<readonly Walk[]> => {
    const found = await placesOfEach(
      db,
      some.map(({ scan, end }) => narrowRows({ ...scan, rowsMax }, end)),
    );
    return found.map((places, index) => ({ places, end: places.length === rowsMax ? places.at(-1) : some[index]?.end }));
  };
  const first = Math.max(FOUND_FIRST_MIN, Math.ceil((2 * (limit + 1)) / scans.length));
  if (first > limit) return walk(bounded, limit + 1);
  const walks = await walk(bounded, first);
  const beyondPage = walks.flatMap(({ places }) => places).sort(newestFirst)[limit];
  const isOnPage = (one: Walk | undefined): boolean =>
    one?.places.length === first && (beyondPage === undefined || newestFirst(one.end, beyondPage) < 0);
  const longer = await walk(
    bounded.filter((_, index) => isOnPage(walks[index])),
    limit + 1,
  );
  const rest = longer.values();
  return walks.map((one) => (isOnPage(one) ? (rest.next().value ?? one) : one));
};

interface Merged extends Omit<OrderListPage, 'orders'> {
  readonly places: readonly ListCursor[];
}

const newestPage = async (
  db: Db,
  generation: number,
  filter: OrderListFilter,
  { of, limit, after }: Pick<ListAsked, 'limit' | 'after'> & { readonly of: readonly MerchantLogin[] },
): Promise<Merged> => {
  const parts: IndexParts = {
    table: orderListTable(generation),
    values: { merchant: of },
    time: 'created_at',
    ...createdRange(filter),
    after: after && { at: after.createdAt, stream: after.stream },
    isNewestFirst: true,
  };
  const found = await placesIn(db, parts, limit + 1);
  const places = found.slice(0, limit).map(({ at, stream }): ListCursor => ({ createdAt: at, stream }));
  return { places, next: found.length > limit ? places.at(-1) : undefined, isCutShort: false };
};

/** Beyond the newest end, a merchant may have orders that were not found. */
const mergedOf = (walks: readonly Walk[], limit: number): Merged => {
  const [newest] = walks.filter(({ end }) => end !== undefined).sort((a, b) => newestFirst(a.end, b.end));
  const places = walks
    .flatMap((walk) => walk.places)
    .filter((place) => newest === undefined || newestFirst(place, newest.end) <= 0)
    .sort(newestFirst);
  const shown = places.slice(0, limit);
  if (places.length > limit) return { places: shown, next: shown.at(-1), isCutShort: false };
  return { places, next: newest?.end, isCutShort: newest !== undefined };
};

/** Selects from the narrow table first and reads wide rows only for the result. */
const rowsOf = async (db: Db, scan: Scan, end?: ListCursor): Promise<readonly ListRow[]> => {
  const { orders } = scan;
  const { rows } = await sql<ListRow>`
    select l.created_at as listed_at, l.updated_at as touched_at, ${selected} from (${narrowRows(scan, end)}
    ) as l join ${orders} as s on s.stream = ${inOrderOf(db, 'l.stream', 'default')} ${NEWEST_FIRST}`.execute(db);
  return rows;
};

const narrowRows = ({ list, indexed, checked, rowsMax }: Scan, end: ListCursor | undefined): RawBuilder<unknown> => {
  const conditions = [...indexed, ...checked, ...(end === undefined ? [] : [notOlder(end)])];
  return sql`select l.created_at, l.stream, l.updated_at from ${list} as l where ${all(conditions)} ${NEWEST_FIRST} limit ${rowsMax}`;
};

/** The rows of streams that meet the conditions, newest first. */
const rowsAt = async (
  db: Db,
  generation: number,
  streams: readonly StreamName[],
  conditions: readonly RawBuilder<unknown>[],
  rowsMax = streams.length,
): Promise<readonly ListRow[]> => {
  const isNamed = isPostgres(db) ? sql`s.stream = any(${streams}::text[])` : sql`s.stream in (${sql.join(streams)})`;
  const { rows } = await sql<ListRow>`
    select l.created_at as listed_at, l.updated_at as touched_at, ${selected} from ${sql.table(orderStatuses.tableOf(generation))} as s
    join ${sql.table(orderListTable(generation))} as l on l.created_at = s.created_at and l.stream = ${inOrderOf(db, 's.stream', 'C')}
    where ${all([isNamed, ...conditions])} ${NEWEST_FIRST} limit ${rowsMax}`.execute(db);
  return rows;
};

const selected = sql.join([...orderStatuses.columns, CHECKSUM].map((column) => sql.ref(`s.${column}`)));

const carries = (generation: number, { identifiers, others = [] }: Carried): RawBuilder<unknown> => {
  const entry = sql.table(orderSearch.tableOf(generation));
  const carried = identifiers.map(
    (identifier) => sql`exists (select 1 from ${entry} as k where k.key = ${entryKey(identifier, '')} || l.stream)`,
  );
  return sql`(${sql.join([...carried, ...others.map((stream) => sql`l.stream = ${stream}`)], sql` or `)})`;
};
