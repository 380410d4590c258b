import type { MerchantLogin } from '@app/kernel';
import { countIn, type Counted, type IndexParts } from '../engine/index-parts';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type PageAsked, type RecordPage } from '../engine/verified-rows';
import { disputeColumns } from './order-disputes';
import { IS_DISPUTED, orderStatuses } from './order-status.table';
import type { OrderStatusView } from './order-status.view';

export interface DisputeFilter {
  /** `over`: no case of the order is open. */
  readonly state: 'open' | 'over';
  /** Absent: all merchants. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  /** The first day on which an answer is due; for `over` the latest report. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

const partsOf = (generation: number, { state, merchants, since, until }: DisputeFilter): IndexParts => ({
  table: orderStatuses.tableOf(generation),
  values: { ...(merchants !== undefined && { merchant: merchants }), dispute: [state] },
  time: 'dispute_at',
  since,
  until,
  where: IS_DISPUTED,
});

const matches =
  ({ state, merchants }: DisputeFilter) =>
  (view: OrderStatusView): boolean =>
    disputeColumns(view).state === state && (merchants === undefined || merchants.includes(view.merchant));

/** Orders with chargebacks, of all merchants: only for operators (safety, T11 and T43). */
export class DisputeQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<OrderStatusView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(orderStatuses, reader, projectFromLog);
  }

  /** By due day, or by the latest report. @throws StoreUnavailable, also after the deadline */
  page(filter: DisputeFilter, asked: PageAsked): Promise<RecordPage<OrderStatusView>> {
    return this.#rows.page((generation) => partsOf(generation, filter), matches(filter), asked);
  }

  /** The time of the oldest is its due day; `NO_DAY` if it has none. */
  count(filter: DisputeFilter): Promise<Counted> {
    const nothing: Counted = { count: 0, oldestAt: undefined };
    return this.#reader.read(orderStatuses.name, nothing, (db, generation) => countIn(db, partsOf(generation, filter)));
  }
}
