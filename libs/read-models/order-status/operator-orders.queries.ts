import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { Reader } from '../engine/reader';
import type { VerifiedRows } from '../engine/verified-rows';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Db, FoldedRow } from '../engine/database/tables';
import { orderRows, type OrderStatusRecord } from './order-status.queries';
import { ORDER_STATUS, orderStatusTable, SELECTED } from './order-status.table';
import { type OrderStatusView, unknownOutcomes } from './order-status.view';

/** Well below SQLite's limit of 32,766 parameters. */
const MERCHANTS_MAX = 1_000;

export interface PartOfOrders {
  readonly after?: StreamName | undefined;
  readonly merchant?: MerchantLogin | undefined;
}

export interface ChangedOrders {
  readonly streams: readonly StreamName[];
  readonly end: StreamName | undefined;
}

type Whole = number | bigint | string;

interface TimesOfOrder {
  readonly stream: string;
  readonly merchant: string;
  readonly created_at: Whole;
  readonly updated_at: Whole;
  readonly unknown_outcomes: Whole;
}

/** Queries across merchants, for operators; code that serves merchants' requests must never get an instance (safety, T11 and T43). */
export class OperatorOrderQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<OrderStatusView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = orderRows(projectFromLog);
  }

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
   * A merchant's orders with events at `from` or later, sorted by stream.
   * @param after the last of the previous page
   */
  async touchedOf(merchant: MerchantLogin, from: Instant, limit: number, after?: StreamName): Promise<readonly OrderStatusRecord[]> {
    const rows = await this.#reader.read<readonly FoldedRow[]>(ORDER_STATUS, [], (db, generation) =>
      db
        .selectFrom(orderStatusTable(generation))
        .select(SELECTED)
        .where('stream', '>', after ?? '')
        .where('merchant', '=', merchant)
        .where('updated_at', '>=', from)
        .orderBy('stream')
        .limit(limit)
        .execute(),
    );
    return this.#rows.records(rows, (view) => view.merchant === merchant);
  }

  /**
   * Orders whose state may have differed at a time: accepted by then, and either changed later or still unknown. The cost depends on the
   * rows examined.
   * @param rowsMax rows to examine
   * @param after the end of the previous part
   */
  async changedSince(at: Instant, rowsMax: number, { after, merchant }: PartOfOrders = {}): Promise<ChangedOrders> {
    const rows = await this.#reader.read<readonly TimesOfOrder[]>(ORDER_STATUS, [], (db, generation) =>
      db
        .selectFrom(orderStatusTable(generation))
        .select(['stream', 'merchant', 'created_at', 'updated_at', 'unknown_outcomes'])
        .where('stream', '>', after ?? '')
        .orderBy('stream')
        .limit(rowsMax)
        .execute(),
    );
    const isMeant = (row: TimesOfOrder): boolean =>
      (merchant === undefined || row.merchant === merchant) &&
      Number(row.created_at) <= at &&
      (Number(row.updated_at) > at || Number(row.unknown_outcomes) > 0);
    return {
      streams: rows.filter(isMeant).map(({ stream }) => stream as StreamName),
      end: rows.length < rowsMax ? undefined : (rows.at(-1)?.stream as StreamName | undefined),
    };
  }

  /**
   * Orders with an unknown outcome, oldest first, from partial indexes.
   * @param limit maximum of orders
   * @param merchant limits the list to its orders
   */
  async unknown(limit: number, merchant?: MerchantLogin): Promise<readonly OrderStatusRecord[]> {
    const rows = await this.#reader.read<readonly FoldedRow[]>(ORDER_STATUS, [], (db, generation) =>
      unknownRows(db, generation, limit, merchant).execute(),
    );
    return this.#rows.records(rows, (view) => unknownOutcomes(view) > 0 && (merchant === undefined || view.merchant === merchant));
  }
}

export const unknownRows = (db: Db, generation: number, limit: number, merchant?: MerchantLogin) => {
  const open = db
    .selectFrom(orderStatusTable(generation))
    .select(SELECTED)
    // Literally the condition of the indexes, because the planner would not match a parameter to them.
    .where(sql<boolean>`unknown_outcomes > 0`);
  return (merchant === undefined ? open : open.where('merchant', '=', merchant)).orderBy('created_at').orderBy('stream').limit(limit);
};
