import { BrokenChain, UndecodableEvent, type EventStore, type StreamName } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { unknownSince, type OperatorOrderQueries, type OrderStatusView } from '@app/read-models';
import { datedEvents, eventsAsOf, orderHistory, viewAfter } from './dated-events';

/** Maximum rows of the read model per page, and orders projected from them. */
const ROWS_MAX = 5_000;
const FOLDS_MAX = 500;

export interface UnknownAtPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly orders: Pick<OperatorOrderQueries, 'changedSince'>;
}

export interface UnknownAtPage {
  readonly orders: readonly OrderStatusView[];
  /** Orders whose past cannot be determined, with the reason. They may have been unknown too. */
  readonly untold: readonly { readonly stream: StreamName; readonly problem: string }[];
  readonly next: StreamName | undefined;
}

/** Orders with an unknown outcome on record at a time, their own or a follow-up's. Candidates come from the read model; each is projected as of then, so later outcomes do not hide it. */
export const unknownAt = async (
  { log, orders }: UnknownAtPorts,
  at: Instant,
  {
    limit,
    after,
    merchants,
  }: { readonly limit: number; readonly after?: StreamName | undefined; readonly merchants?: readonly MerchantLogin[] | undefined },
): Promise<UnknownAtPage> => {
  const found: OrderStatusView[] = [];
  const untold: UnknownAtPage['untold'][number][] = [];
  const { streams, end } = await orders.changedSince(at, ROWS_MAX, { after, merchants });
  for (const [index, stream] of streams.entries()) {
    const view = await viewThen(log, stream, at).catch((error: unknown) => {
      if (!(error instanceof BrokenChain || error instanceof UndecodableEvent)) throw error;
      untold.push({ stream, problem: error.message });
      return undefined;
    });
    if (view !== undefined && unknownSince(view) !== null && merchants?.includes(view.merchant) !== false) found.push(view);
    if (found.length >= limit || index + 1 >= FOLDS_MAX) {
      const isLast = index + 1 === streams.length;
      return { orders: found, untold, next: isLast ? end : stream };
    }
  }
  return { orders: found, untold, next: end };
};

const viewThen = async (log: Pick<EventStore, 'read'>, stream: StreamName, at: Instant): Promise<OrderStatusView | undefined> =>
  viewAfter(eventsAsOf(datedEvents(await orderHistory(log, stream)), { kind: 'known-at', at }));
