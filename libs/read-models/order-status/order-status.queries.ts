import type { StreamName } from '@app/event-store';
import type { Deadline, MerchantLogin, OrderId } from '@app/kernel';
import { CompiledOnceOf } from '../engine/compiled-once';
import type { Fold } from '../engine/folded-table';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import type { Db, FoldedRow } from '../engine/database/tables';
import { foldOrderStatus } from './order-status.fold';
import { ORDER_STATUS, orderStatusTable, SELECTED } from './order-status.table';
import type { OrderStatusView } from './order-status.view';

/** The projected state of an order; read events after `revision` from `stream` (architecture, rule 10). */
export type OrderStatusRecord = FoldedRecord<OrderStatusView>;

export const orderRows = (projectFromLog: ProjectFromLog | undefined): VerifiedRows<OrderStatusView> =>
  new VerifiedRows(ORDER_STATUS, foldOrderStatus as Fold<OrderStatusView>, SELECTED, projectFromLog);

/** Every query names its merchant (safety, T11). A client_orderid names a stream, so it needs no query. */
export class OrderStatusQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<OrderStatusView>;
  readonly #byStream = new CompiledOnceOf((db, generation, merchant: MerchantLogin, stream: StreamName) =>
    db.selectFrom(orderStatusTable(generation)).select(SELECTED).where('stream', '=', stream).where('merchant', '=', merchant),
  );
  readonly #byOrderId = new CompiledOnceOf((db, generation, merchant: MerchantLogin, orderId: OrderId) =>
    db.selectFrom(orderStatusTable(generation)).select(SELECTED).where('merchant', '=', merchant).where('order_id', '=', orderId),
  );

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = orderRows(projectFromLog);
  }

  byStream(merchant: MerchantLogin, stream: StreamName, deadline?: Deadline): Promise<OrderStatusRecord | undefined> {
    return this.#one(
      (db, generation) => this.#byStream.run(db, generation, merchant, stream),
      (view) => view.merchant === merchant,
      deadline,
    );
  }

  byOrderId(merchant: MerchantLogin, orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    return this.#one(
      (db, generation) => this.#byOrderId.run(db, generation, merchant, orderId),
      (view) => view.merchant === merchant && view.orderId === orderId,
    );
  }

  async #one(
    query: (db: Db, generation: number) => Promise<{ readonly rows: readonly FoldedRow[] }>,
    isAnswer: (view: OrderStatusView) => boolean,
    deadline?: Deadline,
  ): Promise<OrderStatusRecord | undefined> {
    const [row] = await this.#reader.read<readonly FoldedRow[]>(
      ORDER_STATUS,
      [],
      async (db, generation) => (await query(db, generation)).rows,
      deadline,
    );
    return row === undefined ? undefined : this.#rows.record(row, isAnswer);
  }
}
