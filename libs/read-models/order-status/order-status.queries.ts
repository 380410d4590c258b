import type { StreamName } from '@app/event-store';
import type { Deadline, MerchantLogin, OrderId } from '@app/kernel';
import { CompiledOnceOf } from '../engine/compiled-once';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import { orderStatuses } from './order-status.table';
import type { OrderStatusView } from './order-status.view';

/** The projected state of an order; read events after `revision` from `stream` (architecture, rule 10). */
export type OrderStatusRecord = FoldedRecord<OrderStatusView>;

/** Every query names its merchant (safety, T11). A client_orderid names a stream, so it needs no query. */
export class OrderStatusQueries {
  readonly #rows: VerifiedRows<OrderStatusView>;
  readonly #byStream = new CompiledOnceOf((db, generation, merchant: MerchantLogin, stream: StreamName) =>
    orderStatuses.rows(db, generation).where('stream', '=', stream).where('merchant', '=', merchant),
  );
  readonly #byOrderId = new CompiledOnceOf((db, generation, merchant: MerchantLogin, orderId: OrderId) =>
    orderStatuses.rows(db, generation).where('merchant', '=', merchant).where('order_id', '=', orderId),
  );

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(orderStatuses, reader, projectFromLog);
  }

  byStream(merchant: MerchantLogin, stream: StreamName, deadline?: Deadline): Promise<OrderStatusRecord | undefined> {
    return this.#rows.first(
      (db, generation) => this.#byStream.rows(db, generation, merchant, stream),
      (view) => view.merchant === merchant,
      deadline,
    );
  }

  byOrderId(merchant: MerchantLogin, orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    return this.#rows.first(
      (db, generation) => this.#byOrderId.rows(db, generation, merchant, orderId),
      (view) => view.merchant === merchant && view.orderId === orderId,
    );
  }
}
