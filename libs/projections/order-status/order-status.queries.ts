import type { StreamName } from '@app/event-store';
import type { MerchantLogin, OrderId } from '@app/kernel';
import { foldedOf, type Folded } from '../folded-table';
import type { Reader } from '../reader';
import { ORDER_STATUS, orderStatusTable } from './order-status.table';
import type { OrderStatusView } from './order-status.view';

/** An order as its row has it: what came after `revision` is read from `stream` (architecture, rule 10). */
export interface OrderStatusRecord extends Folded<OrderStatusView> {
  readonly stream: StreamName;
}

export const SELECTED = ['stream', 'revision', 'view'] as const;

/** Orders as far as they are projected; every question names its merchant (safety, T11). By client_orderid it goes by the streams, which it names. */
export class OrderStatusQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  byStream(merchant: MerchantLogin, stream: StreamName): Promise<OrderStatusRecord | undefined> {
    return this.#one((table, db) =>
      db.selectFrom(table).select(SELECTED).where('stream', '=', stream).where('merchant', '=', merchant).executeTakeFirst(),
    );
  }

  byOrderId(merchant: MerchantLogin, orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    return this.#one((table, db) =>
      db.selectFrom(table).select(SELECTED).where('merchant', '=', merchant).where('order_id', '=', orderId).executeTakeFirst(),
    );
  }

  #one(
    query: (table: ReturnType<typeof orderStatusTable>, db: Parameters<Parameters<Reader['read']>[2]>[0]) => Promise<Row | undefined>,
  ): Promise<OrderStatusRecord | undefined> {
    return this.#reader.read(ORDER_STATUS, undefined, async (db, generation) => {
      const row = await query(orderStatusTable(generation), db);
      return row === undefined ? undefined : recordOf(row);
    });
  }
}

interface Row {
  readonly stream: string;
  readonly revision: number;
  readonly view: string;
}

export const recordOf = (row: Row): OrderStatusRecord => ({ stream: row.stream as StreamName, ...foldedOf<OrderStatusView>(row) });
