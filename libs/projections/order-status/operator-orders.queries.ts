import type { MerchantLogin, OrderId } from '@app/kernel';
import { sql } from 'kysely';
import type { Reader } from '../reader';
import { recordOf, SELECTED, type OrderStatusRecord } from './order-status.queries';
import { ORDER_STATUS, orderStatusTable } from './order-status.table';

/** Of one statement: SQLite takes 32,766 parameters. */
const MERCHANTS_MAX = 1_000;

/** What an operator asks across merchants; nothing that a merchant's request reaches is given one (safety, T11 and T43). */
export class OperatorOrderQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The order of this id among those of the merchants named. */
  async byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    for (let from = 0; from < merchants.length; from += MERCHANTS_MAX) {
      const found = await this.#reader.read(ORDER_STATUS, undefined, (db, generation) =>
        db
          .selectFrom(orderStatusTable(generation))
          .select(SELECTED)
          .where('merchant', 'in', merchants.slice(from, from + MERCHANTS_MAX))
          .where('order_id', '=', orderId)
          .executeTakeFirst(),
      );
      if (found !== undefined) return recordOf(found);
    }
    return undefined;
  }

  /**
   * Orders with an outcome that nobody knows, the oldest first; their index holds no other.
   * @param limit at most this many
   * @param merchant whose orders alone are meant; absent: everybody's
   */
  unknown(limit: number, merchant?: MerchantLogin): Promise<readonly OrderStatusRecord[]> {
    return this.#reader.read(ORDER_STATUS, [], async (db, generation) => {
      const open = db
        .selectFrom(orderStatusTable(generation))
        .select(SELECTED)
        // As the index has it: a parameter in its place would not be seen to fit it.
        .where(sql<boolean>`unknown_outcomes > 0`);
      const rows = await (merchant === undefined ? open : open.where('merchant', '=', merchant))
        .orderBy('created_at')
        .orderBy('stream')
        .limit(limit)
        .execute();
      return rows.map(recordOf);
    });
  }
}
