import type { Instant } from '@app/kernel';
import { sql } from 'kysely';
import { openWorkProjectionName, openWorkTable } from '../open-work/open-work.table';
import { ORDER_STATUS, orderStatusTable } from '../order-status/order-status.table';
import type { Reader } from '../../engine/reader';

/** How much of one thing stands open. */
export interface OpenCount {
  /** `COUNTED_MAX`: so many or more. */
  readonly count: number;
  /** Since when the oldest has stood open; undefined where nothing does. */
  readonly oldestAt: Instant | undefined;
}

/** Rows counted at most, so that who looks every few seconds costs no more when much is open. */
export const COUNTED_MAX = 10_000;
/** Orders looked up for their age at most. */
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

/** Figures of what is open, over all merchants, for those who run the service. */
export class OpenCountQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Orders with an outcome that nobody knows, by the time of their acceptance. */
  unknownOutcomes(): Promise<OpenCount> {
    return this.#reader.read(ORDER_STATUS, NOTHING, async (db, generation) => {
      // As the index has it, which holds no other rows.
      const open = sql`select created_at from ${sql.table(orderStatusTable(generation))} where unknown_outcomes > 0
        order by created_at, stream limit ${COUNTED_MAX}`;
      const { rows } = await sql<Row>`select count(*) as count, min(created_at) as oldest from (${open}) as counted`.execute(db);
      return openCountOf(rows[0]);
    });
  }

  /**
   * The work of one reactor, by the newest event of the orders that it belongs to. Where more than a thousand items are open, the oldest is the
   * oldest of a thousand of them.
   * @param name of the open work
   */
  openWork(name: string): Promise<OpenCount> {
    return this.#reader.read(ORDER_STATUS, NOTHING, (_db, orders) =>
      this.#reader.read(openWorkProjectionName(name), NOTHING, async (db, generation) => {
        const work = sql.table(openWorkTable(name, generation));
        const { rows } = await sql<Row>`select
          (select count(*) from (select 1 from ${work} limit ${COUNTED_MAX}) as counted) as count,
          (select min(updated_at) from (select stream from ${work} limit ${AGED_MAX}) as aged
            join ${sql.table(orderStatusTable(orders))} as orders on orders.stream = aged.stream) as oldest`.execute(db);
        return openCountOf(rows[0]);
      }),
    );
  }
}
