import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';
import { countIn, type Counted, type IndexParts } from '../engine/index-parts';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type PageAsked, type RecordPage } from '../engine/verified-rows';
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

  /** By first attempt, oldest first. @throws StoreUnavailable, also after the deadline */
  page(filter: DeliveryFilter, asked: PageAsked): Promise<RecordPage<DeliveryView>> {
    return this.#rows.page((generation) => partsOf(generation, filter), matches(filter), asked);
  }

  /** @param countedMax counts at most so many */
  count(filter: DeliveryFilter, deadline?: Deadline, countedMax?: number): Promise<Counted> {
    const nothing: Counted = { count: 0, oldestAt: undefined };
    return this.#reader.read(deliveries.name, nothing, (db, generation) => countIn(db, partsOf(generation, filter), countedMax), deadline);
  }
}
