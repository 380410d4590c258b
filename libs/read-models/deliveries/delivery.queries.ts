import type { StreamName } from '@app/event-store';
import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';
import { countIn, placesIn, type Counted, type IndexParts, type ListPlace } from '../engine/index-parts';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import { deliveries } from './delivery.table';
import { DELIVERY_STATUSES, type DeliveryStatus, type DeliveryView } from './delivery.view';

/** `failed`: not delivered so far, given up or not. */
export const DELIVERY_STATES = [...DELIVERY_STATUSES, 'failed'] as const;

/** Conditions are combined with "and". */
export interface DeliveryFilter {
  readonly state?: (typeof DELIVERY_STATES)[number] | undefined;
  /** Absent: all merchants, also merchants that are no longer configured. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  readonly target?: CallbackTarget | undefined;
  /** Time of the first attempt: from `since`, before `until`. */
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
}

export type ListedDelivery = FoldedRecord<DeliveryView>;

export interface DeliveryPage {
  /** By first attempt, oldest first. */
  readonly deliveries: readonly ListedDelivery[];
  readonly next: ListPlace | undefined;
}

const TARGETS: { readonly [Target in CallbackTarget]: Target } = { callback: 'callback', notify: 'notify', notification: 'notification' };

const statusesOf = (state: DeliveryFilter['state']): readonly DeliveryStatus[] => {
  if (state === undefined) return DELIVERY_STATUSES;
  return state === 'failed' ? ['waiting', 'exhausted'] : [state];
};

const partsOf = (generation: number, { state, merchants, target, since, until }: DeliveryFilter): IndexParts => ({
  table: deliveries.tableOf(generation),
  values: {
    ...(merchants !== undefined && { merchant: merchants }),
    status: statusesOf(state),
    target: target === undefined ? Object.values(TARGETS) : [target],
  },
  time: 'since',
  since,
  until,
});

const matches =
  ({ state, merchants, target, since, until }: DeliveryFilter) =>
  (view: DeliveryView): boolean =>
    statusesOf(state).includes(view.status) &&
    (merchants === undefined || merchants.includes(view.merchant)) &&
    (target === undefined || view.target === target) &&
    (since === undefined || view.since >= since) &&
    (until === undefined || view.since < until);

/** Callbacks of all merchants with at least one attempt or request. Only for operators (safety, T11 and T43). */
export class DeliveryQueries {
  readonly #rows: VerifiedRows<DeliveryView>;
  readonly #reader: Reader;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(deliveries, reader, projectFromLog);
  }

  /** @throws StoreUnavailable, also after the deadline */
  async page(
    filter: DeliveryFilter,
    {
      limit,
      after,
      deadline,
    }: { readonly limit: number; readonly after?: ListPlace | undefined; readonly deadline?: Deadline | undefined },
  ): Promise<DeliveryPage> {
    const places = await this.#rows.read((db, generation) => placesIn(db, { ...partsOf(generation, filter), after }, limit + 1), deadline);
    const shown = places.slice(0, limit);
    const records = await this.#ofStreams(
      shown.map(({ stream }) => stream),
      matches(filter),
      deadline,
    );
    return { deliveries: records, next: places.length > limit ? shown.at(-1) : undefined };
  }

  /** @param countedMax at most so many of each status and target are counted */
  count(filter: DeliveryFilter, countedMax?: number, deadline?: Deadline): Promise<Counted> {
    const nothing: Counted = { count: 0, oldestAt: undefined };
    return this.#reader.read(deliveries.name, nothing, (db, generation) => countIn(db, partsOf(generation, filter), countedMax), deadline);
  }

  /** In the order of the streams. */
  async #ofStreams(
    streams: readonly StreamName[],
    isMeant: (view: DeliveryView) => boolean,
    deadline: Deadline | undefined,
  ): Promise<readonly ListedDelivery[]> {
    if (streams.length === 0) return [];
    const found = await this.#rows.all(
      (db, generation) => deliveries.rows(db, generation).where('stream', 'in', streams).execute(),
      isMeant,
      deadline,
    );
    const byStream = new Map(found.filter(({ view }) => isMeant(view)).map((record) => [record.stream, record]));
    return streams.flatMap((stream) => byStream.get(stream) ?? []);
  }
}
