import { sql } from 'kysely';
import type { Instant, MerchantLogin } from '@app/kernel';
import { COUNTED_MAX, countIn, type Counted } from '../engine/index-parts';
import { openWorkProjectionName, openWorkTable } from './open-work.table';
import { IS_UNKNOWN, orderStatuses } from '../order-status/order-status.table';
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

  /** @param merchants absent: all */
  unknownOutcomes(merchants?: readonly MerchantLogin[]): Promise<OpenCount> {
    return this.#reader.read(orderStatuses.name, NOTHING, (db, generation) =>
      countIn(db, {
        table: orderStatuses.tableOf(generation),
        values: merchants === undefined ? {} : { merchant: merchants },
        time: 'created_at',
        where: IS_UNKNOWN,
      }),
    );
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
