import { sql, type RawBuilder } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import { VerifiedRows } from '../engine/verified-rows';
import type { Db, FoldedRow } from '../engine/database/tables';
import type { Reader } from '../engine/reader';
import { CHECKSUM } from '../engine/row-checksum';
import { isPostgres } from '../engine/rebuild/bulk-statements';
import { entryKey } from '../engine/entry-table';
import { orderSearch } from './order-search.table';
import type { OrderStatusRecord } from '../order-status/order-status.queries';
import { orderStatuses } from '../order-status/order-status.table';
import type { OrderStatusView } from '../order-status/order-status.view';
import { isListed, type OrderListFilter } from './order-list.filter';
import { accessPath, type AccessPath } from './order-list.path';
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

const endAt = ({ view, stream }: ListedRecord): ListCursor => ({ createdAt: view.acceptedAt, stream });
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
  page(filter: OrderListFilter, { of, ...asked }: ListAsked): Promise<OrderListPage> {
    return of === undefined ? this.#page(filter, asked) : this.#merged(filter, of, asked);
  }

  /** Walks the orders of each merchant on its own, because an index over several merchants would also pass those of others. */
  async #merged(filter: OrderListFilter, of: readonly MerchantLogin[], asked: ListAsked): Promise<OrderListPage> {
    const meant = of.filter((merchant) => (filter.merchant ?? merchant) === merchant);
    const pages: OrderListPage[] = [];
    for (const merchant of meant) pages.push(await this.#page({ ...filter, merchant }, asked, true));
    const ended = pages.filter(({ next }) => next !== undefined).sort((a, b) => newestFirst(a.next, b.next))[0];
    const orders = pages
      .flatMap((page) => page.orders)
      .sort((a, b) => newestFirst(endAt(a), endAt(b)))
      .filter((order) => ended?.next === undefined || newestFirst(endAt(order), ended.next) <= 0);
    const shown = orders.slice(0, asked.limit);
    const last = shown.at(-1);
    if (orders.length > shown.length && last !== undefined) return { orders: shown, next: endAt(last), isCutShort: false };
    return { orders: shown, next: ended?.next, isCutShort: ended?.isCutShort === true };
  }

  #page(filter: OrderListFilter, asked: ListAsked, isOfMerchant = false): Promise<OrderListPage> {
    const whileUnbuilt: OrderListPage = { orders: [], next: undefined, isCutShort: false };
    const { named: { streams, carrying = [] } = {}, deadline } = asked;
    if (streams?.length === 0) return Promise.resolve(whileUnbuilt);
    const ask = (db: Db, generation: number, carried: readonly RawBuilder<unknown>[]): Promise<OrderListPage> =>
      streams === undefined
        ? this.#scanned(db, generation, { filter, path: accessPath(filter, isOfMerchant) }, carried, asked)
        : this.#ofStreams(db, generation, filter, streams, carried, asked);
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

  async #ofStreams(
    db: Db,
    generation: number,
    filter: OrderListFilter,
    streams: readonly StreamName[],
    carried: readonly RawBuilder<unknown>[],
    { limit, after }: ListAsked,
  ): Promise<OrderListPage> {
    if (streams.length > NAMED_STREAMS_MAX) throw new Error(`a list is narrowed to ${streams.length} streams`);
    const { indexed, checked } = accessPath(filter);
    const isNamed = isPostgres(db)
      ? sql`s.stream = any(${streams}::text[])`
      : sql`s.stream in (${sql.join(streams.map((one) => sql`${one}`))})`;
    const conditions = [isNamed, ...indexed, ...checked, ...carried, ...(after === undefined ? [] : [older(after)])];
    const { rows } = await sql<ListRow>`
      select l.created_at as listed_at, l.updated_at as touched_at, ${selected} from ${sql.table(orderStatuses.tableOf(generation))} as s
      join ${sql.table(orderListTable(generation))} as l on l.created_at = s.created_at and l.stream = ${inOrderOf(db, 's.stream', 'C')}
      where ${all(conditions)} ${NEWEST_FIRST} limit ${limit + 1}`.execute(db);
    return this.#pageOf(rows, filter, limit, undefined);
  }

  /** Walks an index from the newest order. If it does not answer the whole filter, a short range is examined first. */
  async #scanned(
    db: Db,
    generation: number,
    { filter, path }: { readonly filter: OrderListFilter; readonly path: AccessPath },
    carried: readonly RawBuilder<unknown>[],
    { limit, after, lookedAtMax = LOOKED_AT_MAX }: ListAsked,
  ): Promise<OrderListPage> {
    const scan: Scan = {
      list: sql.table(orderListTable(generation)),
      orders: sql.table(orderStatuses.tableOf(generation)),
      indexed: [...path.indexed, ...(after === undefined ? [] : [older(after)])],
      checked: [...path.checked, ...carried],
      rowsMax: limit + 1,
    };
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
    const orders: ListedRecord[] = [];
    for (const row of shown) {
      const updatedAt = Number(row.touched_at) as Instant;
      const record = await this.#rows.record(row, () => true);
      if (record !== undefined && isListed(filter, { view: record.view, updatedAt })) orders.push({ ...record, updatedAt });
    }
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      orders,
      next: last === undefined ? end : placeOf({ created_at: last.listed_at, stream: last.stream }),
      isCutShort: last === undefined && end !== undefined,
    };
  }
}

interface Scan {
  readonly list: RawBuilder<unknown>;
  readonly orders: RawBuilder<unknown>;
  readonly indexed: readonly RawBuilder<unknown>[];
  readonly checked: readonly RawBuilder<unknown>[];
  readonly rowsMax: number;
}

/**
 * The last order to examine; undefined if fewer remain. It is fixed before the rows are read, so orders inserted since
 * then cannot hide others.
 */
const endOf = async (db: Db, { list, indexed }: Scan, lookedAt: number): Promise<ListCursor | undefined> => {
  const { rows } = await sql<PlaceRow>`
    select l.created_at, l.stream from ${list} as l where ${all(indexed)} ${NEWEST_FIRST} limit 1 offset ${lookedAt - 1}`.execute(db);
  return rows[0] && placeOf(rows[0]);
};

/** Selects from the narrow table first and reads wide rows only for the result. */
const rowsOf = async (db: Db, { list, orders, indexed, checked, rowsMax }: Scan, end?: ListCursor): Promise<readonly ListRow[]> => {
  const conditions = [...indexed, ...checked, ...(end === undefined ? [] : [notOlder(end)])];
  const { rows } = await sql<ListRow>`
    select l.created_at as listed_at, l.updated_at as touched_at, ${selected} from (
      select l.created_at, l.stream, l.updated_at from ${list} as l where ${all(conditions)} ${NEWEST_FIRST} limit ${rowsMax}
    ) as l join ${orders} as s on s.stream = ${inOrderOf(db, 'l.stream', 'default')} ${NEWEST_FIRST}`.execute(db);
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
