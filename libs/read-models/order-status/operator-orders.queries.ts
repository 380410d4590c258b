import type { StreamName } from '@app/event-store';
import type { Deadline, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type PageAsked, type RecordPage } from '../engine/verified-rows';
import type { OrderStatusRecord } from './order-status.queries';
import { IS_UNKNOWN, orderStatuses } from './order-status.table';
import { type OrderStatusView, unknownSince } from './order-status.view';

/** Well below SQLite's limit of 32,766 parameters. */
const MERCHANTS_MAX = 1_000;

export interface PartOfOrders {
  readonly after?: StreamName | undefined;
  /** Absent: all. No order of another merchant is examined. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
}

export interface ChangedOrders {
  readonly streams: readonly StreamName[];
  readonly end: StreamName | undefined;
}

/** Queries across merchants, for operators; code that serves merchants' requests must never get an instance (safety, T11 and T43). */
export class OperatorOrderQueries {
  readonly #rows: VerifiedRows<OrderStatusView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(orderStatuses, reader, projectFromLog);
  }

  async byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined> {
    for (let from = 0; from < merchants.length; from += MERCHANTS_MAX) {
      const part = merchants.slice(from, from + MERCHANTS_MAX);
      const found = await this.#rows.first(
        (db, generation) => orderStatuses.rows(db, generation).where('merchant', 'in', part).where('order_id', '=', orderId).execute(),
        (view) => merchants.includes(view.merchant) && view.orderId === orderId,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The streams among them that are orders of these merchants. */
  async ofMerchants(merchants: readonly MerchantLogin[], streams: readonly StreamName[]): Promise<ReadonlySet<StreamName>> {
    if (streams.length === 0) return new Set();
    const rows = await this.#rows.read((db, generation) =>
      orderStatuses.from(db, generation).select(['stream', 'merchant']).where('stream', 'in', streams).execute(),
    );
    const logins = new Set<string>(merchants);
    return new Set(rows.flatMap(({ stream, merchant }) => (logins.has(String(merchant)) ? [stream as StreamName] : [])));
  }

  /** The ids among them that are orders of these merchants. */
  async knownOf(merchants: readonly MerchantLogin[], orderIds: readonly OrderId[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    if (orderIds.length === 0) return known;
    for (let from = 0; from < merchants.length; from += MERCHANTS_MAX) {
      const part = merchants.slice(from, from + MERCHANTS_MAX);
      const rows = await this.#rows.read((db, generation) =>
        orderStatuses.from(db, generation).select('order_id').where('merchant', 'in', part).where('order_id', 'in', orderIds).execute(),
      );
      for (const row of rows) known.add(String(row.order_id));
    }
    return known;
  }

  /** Of the streams that are orders here. */
  async orderIdsOf(streams: readonly StreamName[], deadline?: Deadline): Promise<ReadonlyMap<StreamName, OrderId>> {
    if (streams.length === 0) return new Map();
    const rows = await this.#rows.read(
      (db, generation) => orderStatuses.from(db, generation).select(['stream', 'order_id']).where('stream', 'in', streams).execute(),
      deadline,
    );
    return new Map(rows.map(({ stream, order_id: orderId }) => [stream as StreamName, String(orderId) as OrderId]));
  }

  /**
   * A merchant's orders with events at `from` or later, sorted by stream.
   * @param after the last of the previous page
   */
  touchedOf(merchant: MerchantLogin, from: Instant, limit: number, after?: StreamName): Promise<readonly OrderStatusRecord[]> {
    return this.#rows.all(
      (db, generation) =>
        orderStatuses
          .rows(db, generation)
          .where('stream', '>', after ?? '')
          .where('merchant', '=', merchant)
          .where('updated_at', '>=', from)
          .orderBy('stream')
          .limit(limit)
          .execute(),
      (view) => view.merchant === merchant,
    );
  }

  /**
   * Orders whose state may have differed at a time: accepted by then, and either changed later or still unknown. The cost depends on the
   * rows examined.
   * @param rowsMax rows to examine
   * @param after the end of the previous part
   */
  async changedSince(at: Instant, rowsMax: number, { after, merchants }: PartOfOrders = {}): Promise<ChangedOrders> {
    if (merchants?.length === 0) return { streams: [], end: undefined };
    const rows = await this.#rows.read((db, generation) =>
      orderStatuses
        .from(db, generation)
        .select(['stream', 'created_at', 'updated_at', 'unknown_since'])
        .where('stream', '>', after ?? '')
        .$if(merchants !== undefined, (query) => query.where('merchant', 'in', merchants ?? []))
        .orderBy('stream')
        .limit(rowsMax)
        .execute(),
    );
    const isMeant = (row: (typeof rows)[number]): boolean =>
      Number(row.created_at) <= at && (Number(row.updated_at) > at || row.unknown_since !== null);
    return {
      streams: rows.filter(isMeant).map(({ stream }) => stream as StreamName),
      end: rows.length < rowsMax ? undefined : (rows.at(-1)?.stream as StreamName | undefined),
    };
  }

  /**
   * Orders with an unknown outcome, the longest unknown first, from partial indexes.
   * @param merchants limits the list to their orders; undefined: all
   * @throws StoreUnavailable, also after the deadline
   */
  unknown(merchants: readonly MerchantLogin[] | undefined, asked: PageAsked): Promise<RecordPage<OrderStatusView>> {
    const values = merchants === undefined ? {} : { merchant: merchants };
    return this.#rows.page(
      (generation) => ({ table: orderStatuses.tableOf(generation), values, time: 'unknown_since', where: IS_UNKNOWN }),
      (view) => unknownSince(view) !== null && merchants?.includes(view.merchant) !== false,
      asked,
    );
  }
}
