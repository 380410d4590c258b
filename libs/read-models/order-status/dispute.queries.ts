import type { Deadline, MerchantLogin } from '@app/kernel';
import { countIn, placesIn, type Counted, type IndexParts, type ListPlace } from '../engine/index-parts';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows } from '../engine/verified-rows';
import { disputeColumns } from './order-disputes';
import type { OrderStatusRecord } from './order-status.queries';
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

export interface DisputePage {
  /** By due day, or by the latest report. */
  readonly orders: readonly OrderStatusRecord[];
  readonly next: ListPlace | undefined;
}

const partsOf = (generation: number, { state, merchants, since, until }: DisputeFilter): IndexParts => ({
  table: orderStatuses.tableOf(generation),
  values: { ...(merchants !== undefined && { merchant: merchants }), dispute: [state] },
  time: 'dispute_at',
  since,
  until,
  where: IS_DISPUTED,
});

/** Orders with chargebacks, of all merchants: only for operators (safety, T11 and T43). */
export class DisputeQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<OrderStatusView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(orderStatuses, reader, projectFromLog);
  }

  async page(
    filter: DisputeFilter,
    {
      limit,
      after,
      deadline,
    }: { readonly limit: number; readonly after?: ListPlace | undefined; readonly deadline?: Deadline | undefined },
  ): Promise<DisputePage> {
    const places = await this.#rows.read((db, generation) => placesIn(db, { ...partsOf(generation, filter), after }, limit + 1), deadline);
    const shown = places.slice(0, limit);
    const streams = shown.map(({ stream }) => stream);
    const isMeant = (view: OrderStatusView): boolean =>
      disputeColumns(view).state === filter.state && (filter.merchants === undefined || filter.merchants.includes(view.merchant));
    const found =
      streams.length === 0
        ? []
        : await this.#rows.all(
            (db, generation) => orderStatuses.rows(db, generation).where('stream', 'in', streams).execute(),
            isMeant,
            deadline,
          );
    const byStream = new Map(found.filter(({ view }) => isMeant(view)).map((record) => [record.stream, record]));
    return { orders: streams.flatMap((stream) => byStream.get(stream) ?? []), next: places.length > limit ? shown.at(-1) : undefined };
  }

  /** The time of the oldest is its due day; `NO_DAY` if it has none. */
  count(filter: DisputeFilter): Promise<Counted> {
    const nothing: Counted = { count: 0, oldestAt: undefined };
    return this.#reader.read(orderStatuses.name, nothing, (db, generation) => countIn(db, partsOf(generation, filter)));
  }
}
