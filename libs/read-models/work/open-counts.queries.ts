import { sql } from 'kysely';
import type { Currency, Instant, MerchantLogin, Money } from '@app/kernel';
import { COUNTED_MAX, countIn, type Counted } from '../engine/index-parts';
import { openWorkProjectionName, openWorkTable } from './open-work.table';
import { IS_UNKNOWN, orderStatuses } from '../order-status/order-status.table';
import { isPostgres } from '../engine/rebuild/bulk-statements';
import type { Reader } from '../engine/reader';

export type OpenCount = Counted;

const AGED_MAX = 1_000;

const NOTHING: OpenCount = { count: 0, oldestAt: undefined };

interface Row {
  readonly count: number;
  readonly oldest: number | null;
}

const openCountOf = (row: Row | undefined): OpenCount => ({
  count: Number(row?.count ?? 0),
  oldestAt: row?.oldest == null ? undefined : (Number(row.oldest) as Instant),
});

export class OpenCountQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /**
   * Orders with an unknown outcome. Age counts from when it became unknown.
   * @param merchants absent: all
   */
  unknownOutcomes(merchants?: readonly MerchantLogin[]): Promise<OpenCount> {
    return this.#reader.read(orderStatuses.name, NOTHING, (db, generation) =>
      countIn(db, {
        table: orderStatuses.tableOf(generation),
        values: merchants === undefined ? {} : { merchant: merchants },
        time: 'unknown_since',
        where: IS_UNKNOWN,
      }),
    );
  }

  /**
   * Sums of the unknown outcomes by currency, of at most as many orders as are counted.
   * @param merchants absent: all
   */
  unknownAmounts(merchants?: readonly MerchantLogin[]): Promise<readonly Money[]> {
    if (merchants?.length === 0) return Promise.resolve([]);
    return this.#reader.read(orderStatuses.name, [], async (db, generation) => {
      const table = orderStatuses.tableOf(generation);
      // SQLite prefers an index with a column for the merchant, and then reads all orders.
      const index = isPostgres(db) ? sql`` : sql`indexed by ${sql.id(`${table}_unknown${merchants === undefined ? '' : '_of'}`)}`;
      const meant = merchants === undefined ? IS_UNKNOWN : sql`${IS_UNKNOWN} and merchant in (${sql.join(merchants)})`;
      const { rows } = await sql<{ readonly currency: Currency; readonly minor: string | number }>`
        select currency, sum(unknown_minor) as minor
        from (select currency, unknown_minor from ${sql.table(table)} ${index} where ${meant} limit ${COUNTED_MAX}) as outcomes
        group by currency order by currency`.execute(db);
      return rows.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) }));
    });
  }

  /**
   * Age counts from the latest event of the item's order. With more than 1,000 items, the oldest is taken from 1,000 of them.
   * @param name of the open work
   */
  openWork(name: string): Promise<OpenCount> {
    return this.#reader.read(orderStatuses.name, NOTHING, (_db, orders) =>
      this.#reader.read(openWorkProjectionName(name), NOTHING, async (db, generation) => {
        const work = sql.table(openWorkTable(name, generation));
        const { rows } = await sql<Row>`select
          (select count(*) from (select 1 from ${work} limit ${COUNTED_MAX}) as counted) as count,
          (select min(updated_at) from (select stream from ${work} limit ${AGED_MAX}) as aged
            join ${sql.table(orderStatuses.tableOf(orders))} as orders on orders.stream = aged.stream) as oldest`.execute(db);
        return openCountOf(rows[0]);
      }),
    );
  }
}
