import type { StreamName } from '@app/event-store';
import type { Deadline, MerchantLogin, OrderId } from '@app/kernel';
import type { Fold } from '../../engine/folded-table';
import { MendedRows, type FoldedRecord } from '../../engine/mending/mended-rows';
import type { Mend } from '../../engine/mending/mending';
import type { Reader } from '../../engine/reader';
import type { FoldedRow } from '../../engine/database/tables';
import { foldOrderStatus } from './order-status.fold';
import { ORDER_STATUS, orderStatusTable, SELECTED } from './order-status.table';
import type { OrderStatusView } from './order-status.view';

/** An order as its row has it: what came after `revision` is read from `stream` (architecture, rule 10). */
export type OrderStatusRecord = FoldedRecord<OrderStatusView>;

export const orderRows = (mend: Mend | undefined): MendedRows<OrderStatusView> =>
  new MendedRows(ORDER_STATUS, foldOrderStatus as Fold<OrderStatusView>, SELECTED, mend);

/** Orders as far as they are projected; every question names its merchant (safety, T11). By client_orderid it goes by the streams, which it names. */
export class OrderStatusQueries {
  readonly #reader: Reader;
  readonly #rows: MendedRows<OrderStatusView>;

  constructor(reader: Reader, mend?: Mend) {
    this.#reader = reader;
    this.#rows = orderRows(mend);
  }

  byStream(merchant: MerchantLogin, stream: StreamName, deadline?: Deadline): Promise<OrderStatusRecord | undefined> {
    return this.#one(
      (table, db) => db.selectFrom(table).select(SELECTED).where('stream', '=', stream).where('merchant', '=', merchant).executeTakeFirst(),
      (view) => view.merchant === merchant,
      deadline,
    );
  }

  byOrderId(merchant: MerchantLogin, orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    return this.#one(
      (table, db) =>
        db.selectFrom(table).select(SELECTED).where('merchant', '=', merchant).where('order_id', '=', orderId).executeTakeFirst(),
      (view) => view.merchant === merchant && view.orderId === orderId,
    );
  }

  async #one(
    query: (table: ReturnType<typeof orderStatusTable>, db: Parameters<Parameters<Reader['read']>[2]>[0]) => Promise<FoldedRow | undefined>,
    isAnswer: (view: OrderStatusView) => boolean,
    deadline?: Deadline,
  ): Promise<OrderStatusRecord | undefined> {
    const row = await this.#reader.read<FoldedRow | undefined>(
      ORDER_STATUS,
      undefined,
      (db, generation) => query(orderStatusTable(generation), db),
      deadline,
    );
    return row === undefined ? undefined : this.#rows.record(row, isAnswer);
  }
}
