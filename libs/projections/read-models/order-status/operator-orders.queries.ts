import type { MerchantLogin, OrderId } from '@app/kernel';
import { sql } from 'kysely';
import type { Reader } from '../../engine/reader';
import type { MendedRows } from '../../engine/mending/mended-rows';
import type { Mend } from '../../engine/mending/mending';
import type { Db, FoldedRow } from '../../engine/database/tables';
import { orderRows, type OrderStatusRecord } from './order-status.queries';
import { ORDER_STATUS, orderStatusTable, SELECTED } from './order-status.table';
import type { OrderStatusView } from './order-status.view';
import { unknownOutcomes } from './unknown-outcomes';

/** Of one statement: SQLite takes 32,766 parameters. */
const MERCHANTS_MAX = 1_000;

/** What an operator asks across merchants; nothing that a merchant's request reaches is given one (safety, T11 and T43). */
export class OperatorOrderQueries {
  readonly #reader: Reader;
  readonly #rows: MendedRows<OrderStatusView>;

  constructor(reader: Reader, mend?: Mend) {
    this.#reader = reader;
    this.#rows = orderRows(mend);
  }

  /** The order of this id among those of the merchants named. */
  async byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    for (let from = 0; from < merchants.length; from += MERCHANTS_MAX) {
      const row = await this.#reader.read<FoldedRow | undefined>(ORDER_STATUS, undefined, (db, generation) =>
        db
          .selectFrom(orderStatusTable(generation))
          .select(SELECTED)
          .where('merchant', 'in', merchants.slice(from, from + MERCHANTS_MAX))
          .where('order_id', '=', orderId)
          .executeTakeFirst(),
      );
      const found = row && (await this.#rows.record(row, (view) => merchants.includes(view.merchant) && view.orderId === orderId));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Orders with an outcome that nobody knows, the oldest first; their indexes hold no other.
   * @param limit at most this many
   * @param merchant whose orders alone are meant; absent: everybody's
   */
  async unknown(limit: number, merchant?: MerchantLogin): Promise<readonly OrderStatusRecord[]> {
    const rows = await this.#reader.read<readonly FoldedRow[]>(ORDER_STATUS, [], (db, generation) =>
      unknownRows(db, generation, limit, merchant).execute(),
    );
    return this.#rows.records(rows, (view) => unknownOutcomes(view) > 0 && (merchant === undefined || view.merchant === merchant));
  }
}

/** What it costs grows with what is asked for, not with what else is unknown. */
export const unknownRows = (db: Db, generation: number, limit: number, merchant?: MerchantLogin) => {
  const open = db
    .selectFrom(orderStatusTable(generation))
    .select(SELECTED)
    // As the indexes have it: a parameter in its place would not be seen to fit them.
    .where(sql<boolean>`unknown_outcomes > 0`);
  return (merchant === undefined ? open : open.where('merchant', '=', merchant)).orderBy('created_at').orderBy('stream').limit(limit);
};
