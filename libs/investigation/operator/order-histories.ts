import type { Accounts, Operator } from '@app/configuration';
import { readsWithin, type EventStore, type StreamName } from '@app/event-store';
import { isOrderId, type Deadline, type Instant } from '@app/kernel';
import { orderSummary, type OrderSummary } from '@app/read-models/queries';
import type { OperatorOrderQueries } from '@app/read-models';
import {
  datedEvents,
  eventsAsOf,
  type DatedEvent,
  isLaterMoment,
  type Moment,
  orderHistory,
  orderState,
  viewAfter,
  type OrderState,
} from '../as-of/dated-events';
import {
  differenceAsJson,
  eventAsJson,
  momentAsJson,
  whyAsJson,
  type DifferenceJson,
  type EventJson,
  type WhyJson,
} from '../as-of/as-json';
import { orderSteps, type OrderSteps } from '../as-of/order-steps';
import { differenceOf, whyOf } from '../as-of/why';
import { unknownAt } from '../as-of/unknown-at';
import { merchantsListed, merchantsSeenBy } from './operator-access';

interface OrderHistoriesPorts {
  readonly log: Pick<EventStore, 'read' | 'subscribe'>;
  readonly orders: Pick<OperatorOrderQueries, 'byOrderId' | 'changedSince'>;
  readonly accounts: Pick<Accounts, 'logins'>;
}

/** An order as of a moment, with the events that count then. */
export interface StateAsOf {
  /** The moment; null for now. */
  readonly asOf: { readonly version?: number; readonly knownAt?: string; readonly trueAt?: string } | null;
  /** Number of events that the order has at present. */
  readonly eventsNow: number;
  readonly state: OrderState;
  readonly events: readonly EventJson[];
}

export type NoSuch = { readonly reason: 'unknown-order' } | { readonly reason: 'no-such-version' | 'not-accepted-yet' };

export interface UnknownOrdersAt {
  readonly orders: readonly OrderSummary[];
  /** Orders whose earlier state cannot be determined. */
  readonly untold: readonly string[];
  readonly next?: string;
}

export class OrderHistories {
  readonly #ports: OrderHistoriesPorts;

  constructor(ports: OrderHistoriesPorts) {
    this.#ports = ports;
  }

  async state(orderId: string, moment: Moment | undefined, operator: Operator, deadline: Deadline): Promise<StateAsOf | NoSuch> {
    const history = await this.#history(orderId, operator, deadline);
    if (history === undefined) return { reason: 'unknown-order' };
    const counted = countedAt(history, moment);
    if ('reason' in counted) return counted;
    const view = viewAfter(counted.events);
    if (view === undefined) return { reason: 'not-accepted-yet' };
    return {
      asOf: moment === undefined ? null : momentAsJson(moment),
      eventsNow: history.length,
      state: orderState(view),
      events: counted.events.map(eventAsJson),
    };
  }

  /** `backwards` if the second moment is earlier, or lacks events of the first. @throws StoreUnavailable */
  async diff(
    orderId: string,
    from: Moment,
    to: Moment,
    operator: Operator,
    deadline: Deadline,
  ): Promise<{ readonly differences: readonly DifferenceJson[] } | NoSuch | { readonly reason: 'backwards' }> {
    const history = await this.#history(orderId, operator, deadline);
    if (history === undefined) return { reason: 'unknown-order' };
    if (isLaterMoment(from, to)) return { reason: 'backwards' };
    const [earlier, later] = [countedAt(history, from), countedAt(history, to)];
    if ('reason' in earlier) return earlier;
    if ('reason' in later) return later;
    const reached = new Set(later.events);
    if (earlier.events.some((event) => !reached.has(event))) return { reason: 'backwards' };
    return { differences: differenceOf(earlier.events, later.events).map(differenceAsJson) };
  }

  async why(
    orderId: string,
    field: string,
    moment: Moment | undefined,
    operator: Operator,
    deadline: Deadline,
  ): Promise<{ readonly why: WhyJson } | NoSuch | { readonly reason: 'no-field'; readonly known: readonly string[] }> {
    const history = await this.#history(orderId, operator, deadline);
    if (history === undefined) return { reason: 'unknown-order' };
    const counted = countedAt(history, moment);
    if ('reason' in counted) return counted;
    const found = whyOf(field, counted.events, history);
    if (found.kind === 'no-state') return { reason: 'not-accepted-yet' };
    return found.kind === 'no-field' ? { reason: found.kind, known: found.known } : { why: whyAsJson(field, found) };
  }

  /** @throws StoreUnavailable */
  async steps(orderId: string, operator: Operator, deadline: Deadline): Promise<OrderSteps | { readonly reason: 'unknown-order' }> {
    const history = await this.#history(orderId, operator, deadline);
    return history === undefined ? { reason: 'unknown-order' } : orderSteps(history);
  }

  /** A page of the orders that were unknown at a time, in their state at that time. @throws StoreUnavailable */
  async unknown(
    at: Instant,
    { merchant, ...asked }: { readonly limit: number; readonly after?: StreamName | undefined; readonly merchant?: string | undefined },
    operator: Operator,
    deadline: Deadline,
  ): Promise<UnknownOrdersAt> {
    const { log, orders, accounts } = this.#ports;
    const merchants = merchantsListed(operator, accounts.logins, merchant);
    const page = await unknownAt({ log: readsWithin(log, deadline), orders }, at, { ...asked, merchants });
    return {
      orders: page.orders.map(orderSummary),
      untold: page.untold.map(({ stream }) => stream),
      ...(page.next !== undefined && { next: page.next }),
    };
  }

  async #history(orderId: string, operator: Operator, deadline: Deadline): Promise<readonly DatedEvent[] | undefined> {
    if (!isOrderId(orderId)) return undefined;
    const { log, orders, accounts } = this.#ports;
    const found = await orders.byOrderId(merchantsSeenBy(operator, accounts.logins), orderId);
    return found === undefined ? undefined : datedEvents(await orderHistory(readsWithin(log, deadline), found.stream));
  }
}

const countedAt = (
  history: readonly DatedEvent[],
  moment: Moment | undefined,
): { readonly events: readonly DatedEvent[] } | Extract<NoSuch, { readonly reason: 'no-such-version' | 'not-accepted-yet' }> => {
  if (moment === undefined) return { events: history };
  if (moment.kind === 'version' && moment.version >= history.length) return { reason: 'no-such-version' };
  const events = eventsAsOf(history, moment);
  return events.length === 0 ? { reason: 'not-accepted-yet' } : { events };
};
