import type { ServiceDigests } from '@app/card-vault';
import { deliveryKey } from '@app/callbacks';
import type { Accounts, Operator } from '@app/configuration';
import type { EventStore, StreamName } from '@app/event-store';
import { addMs, formatAmount, isOrderId, type Clock, type Deadline, type Instant, type OrderId } from '@app/kernel';
import { listState, orderSummary, type OrderSummary, withoutPersonalData } from '@app/read-models/queries';
import {
  activity,
  type ActivityFilter,
  type ActivityQueries,
  type DisputeFilter,
  type DisputeQueries,
  disputesOf,
  NO_DAY,
  type OrderDispute,
  type OrderStatusView,
  orderStatuses,
  APPROVAL_STATUSES,
  type ApprovalQueries,
  approvals,
  type ApprovalView,
  deliveries,
  type DeliveryFilter,
  type DeliveryQueries,
  type DeliveryView,
  type ListedActivity,
  type ListPlace,
  type OperatorOrderQueries,
  type Projection,
  type ProjectionHealth,
} from '@app/read-models';
import { approvalIdOf, isExpired, PROPOSAL_TERM_MS, type ProposedConfiguration } from '../approvals';
import { auditInstant, auditInstantOrNull } from '../orders/audit-instant';
import { readCursor, writeCursor } from '../orders/list-orders';
import { failureText } from '../words';
import { merchantsListed, merchantsSeenBy, seesPersonalData } from './operator-access';
import type { IndexGap } from './order-names';

interface OperatorListsPorts {
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly readModel: {
    readonly approvals: Pick<ApprovalQueries, 'page' | 'alone'>;
    readonly deliveries: Pick<DeliveryQueries, 'page'>;
    readonly activity: Pick<ActivityQueries, 'page'>;
    readonly disputes: Pick<DisputeQueries, 'page'>;
    readonly operatorOrders: Pick<OperatorOrderQueries, 'orderIdsOf' | 'knownOf' | 'unknown'>;
    health(): Promise<readonly ProjectionHealth[]>;
  };
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
}

/** What a person asks of a list. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly operator: Pick<Operator, 'name' | 'role' | 'merchants'>;
  readonly deadline: Deadline;
}

interface PageEnd {
  /** The cursor of the next page. Absent after the last one. */
  readonly next?: string;
  /** The list is more than two seconds behind the log, so that an entry may be missing or old. */
  readonly index?: IndexGap;
}

export interface ListedDelivery {
  /** Null until the order is in the index. */
  readonly orderId: string | null;
  readonly merchant: string;
  /** `<webhook-id>:<target>`. */
  readonly deliveryId: string;
  readonly target: DeliveryView['target'];
  readonly status: DeliveryView['status'];
  readonly attempts: number;
  /** The result of the latest attempt, in words. Null before the first attempt. */
  readonly lastResult: string | null;
  readonly firstAttemptAt: string;
  readonly lastChangeAt: string;
  /** Null if no attempt follows. */
  readonly nextAttemptAt: string | null;
  /** Since the first attempt. */
  readonly ageSeconds: number;
}

export interface ListedDeliveries extends PageEnd {
  readonly deliveries: readonly ListedDelivery[];
}

export interface ActivityShown {
  readonly at: string;
  readonly kind: ListedActivity['kind'];
  /** The operator; `unauthenticated`, or the program of a configuration. */
  readonly person: string;
  /** The person that the operator claimed to represent. */
  readonly claimedActor: string | null;
  readonly role: string | null;
  /** The action, the query, the cause of a refusal, or the type of the event. */
  readonly name: string;
  /** An orderid, delivery, case, stream, merchant, gate, or the digest of a configuration. */
  readonly target: string | null;
  /** Of an action. Null while it runs, or if the process ended first. */
  readonly outcome: string | null;
  /** Rows of an answer, or refusals. */
  readonly count: number | null;
}

export interface ActivityListed extends PageEnd {
  readonly activity: readonly ActivityShown[];
  /** The page ended early because it reached the limit of entries checked; later ones are not checked yet. */
  readonly isCutShort?: true;
}

interface ListedDispute {
  readonly orderId: string;
  readonly merchant: string;
  readonly gate: string;
  /** The gate's id of the case. */
  readonly case: string;
  readonly state: OrderDispute['state'];
  readonly stage: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  /** The card scheme's. */
  readonly reasonCode: string | null;
  readonly receivedAt: string;
  /** The last day to contest it, in UTC. Null if no report has it. */
  readonly respondBy: string | null;
  /** Whole days until that day; below 0 if it is over. */
  readonly daysLeft: number | null;
}

export interface ListedDisputes extends PageEnd {
  readonly disputes: readonly ListedDispute[];
}

export interface ListedUnknown extends PageEnd {
  readonly orders: readonly OrderSummary[];
}

const DAY_MS = 86_400_000;
const DAY_LENGTH = 10;

const listedDispute = (view: OrderStatusView, { state, chargeback }: OrderDispute, now: Instant): ListedDispute => ({
  orderId: view.orderId,
  merchant: view.merchant,
  gate: chargeback.gate,
  case: chargeback.reportId,
  state,
  stage: chargeback.stage,
  amount: chargeback.amountMinor === null ? null : formatAmount(BigInt(chargeback.amountMinor)),
  currency: chargeback.currency,
  reasonCode: chargeback.reasonCode,
  receivedAt: auditInstant(chargeback.receivedAt),
  respondBy: chargeback.respondBy === undefined ? null : auditInstant(chargeback.respondBy).slice(0, DAY_LENGTH),
  daysLeft: chargeback.respondBy === undefined ? null : Math.floor(chargeback.respondBy / DAY_MS) - Math.floor(now / DAY_MS),
});

/** An action that needs, or had, the approval of a second person. No reasons. */
export interface ListedApproval {
  readonly approvalId: string;
  readonly action: ApprovalView['action'];
  /** An orderid, a card reference, a case or `configuration`. */
  readonly target: string;
  /** Null if the action concerns no merchant. */
  readonly merchant: string | null;
  /** The amount that it moves, or whose outcome it resolves. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The outcome that it sets. */
  readonly to: 'approved' | 'declined' | null;
  readonly followUp: number | null;
  /** `approved`: its execution is not recorded, so it can be executed again. */
  readonly status: ApprovalView['status'];
  readonly proposer: string;
  readonly decider: string | null;
  /** An admin acted without a second person. */
  readonly isAlone: boolean;
  /** Why the approved action was refused. */
  readonly cause: string | null;
  readonly proposedAt: string;
  readonly expiresAt: string;
  readonly decidedAt: string | null;
}

/** With the members that a list leaves out. */
export interface ShownApproval extends ListedApproval {
  /** The proposed change of the configuration. */
  readonly configuration?: ProposedConfiguration;
}

export interface ListedApprovals extends PageEnd {
  readonly approvals: readonly ListedApproval[];
}

export const APPROVAL_STATES = {
  waiting: ['waiting'],
  approved: ['approved'],
  decided: ['done', 'refused', 'rejected', 'expired', 'invalidated'],
} as const satisfies Readonly<Record<string, readonly ApprovalView['status'][]>>;
export type ApprovalState = keyof typeof APPROVAL_STATES;

export const approvalAsJson = (approvalId: string, view: ApprovalView, now: Instant): ListedApproval => ({
  approvalId,
  action: view.action,
  target: view.target,
  merchant: view.merchant ?? null,
  amount: view.amountMinor === undefined ? null : formatAmount(BigInt(view.amountMinor)),
  currency: view.currency ?? null,
  to: view.to ?? null,
  followUp: view.followUp ?? null,
  status: view.status === 'waiting' && isExpired(view, now) ? 'expired' : view.status,
  proposer: view.proposer,
  decider: view.decider,
  isAlone: view.isAlone,
  cause: view.cause,
  proposedAt: auditInstant(view.proposedAt),
  expiresAt: auditInstant(view.expiresAt),
  decidedAt: auditInstantOrNull(view.decidedAt),
});

const ALONE_SHOWN_MS = 7 * PROPOSAL_TERM_MS;
const ALONE_MAX = 25;
const SECOND_MS = 1_000;
const OPERATOR_PREFIX = 'operator:';
/** Entries that a limited operator may not see are checked and left out. */
const CHECKED_AT_ONCE = 250;
const CHECKED_MAX = 500;

const shownActivity = ({ actionId: _id, key: _key, actor, at, ...entry }: ListedActivity): ActivityShown => ({
  at: auditInstant(at),
  person: actor.startsWith(OPERATOR_PREFIX) ? actor.slice(OPERATOR_PREFIX.length) : actor,
  ...entry,
});

const placeOf = ({ at, key }: ListedActivity): ListPlace => ({ at, stream: key as StreamName });

const resultText = ({ failure, httpStatus }: DeliveryView): string | null => {
  if (failure !== undefined) return failureText(failure);
  return httpStatus === undefined ? null : `answered HTTP ${httpStatus}`;
};

const listedDelivery = (view: DeliveryView, orderId: OrderId | undefined, now: Instant): ListedDelivery => ({
  orderId: orderId ?? null,
  merchant: view.merchant,
  deliveryId: deliveryKey(view.factId, view.target),
  target: view.target,
  status: view.status,
  attempts: view.tries,
  lastResult: resultText(view),
  firstAttemptAt: auditInstant(view.since),
  lastChangeAt: auditInstant(view.changedAt),
  nextAttemptAt: auditInstantOrNull(view.nextTryAt ?? null),
  ageSeconds: Math.max(0, Math.floor((now - view.since) / SECOND_MS)),
});

/** Lists over all orders, limited to the merchants that the operator may see. */
export class OperatorLists {
  constructor(private readonly ports: OperatorListsPorts) {}

  /**
   * Undefined if the cursor is not the `next` of a page with the same filters.
   * @throws StoreUnavailable, also after the deadline
   */
  async deliveries(
    { merchant, ...filter }: Omit<DeliveryFilter, 'merchants'> & { readonly merchant?: string | undefined },
    asked: Asked,
  ): Promise<ListedDeliveries | undefined> {
    const { readModel, accounts, clock } = this.ports;
    const merchants = merchantsListed(asked.operator, accounts.logins, merchant);
    const digest = this.#digest('deliveries', { ...filter, merchants });
    const place = this.#placeOf(asked.cursor, digest);
    if (place === 'malformed') return undefined;
    const { limit, deadline } = asked;
    const page = await readModel.deliveries.page({ ...filter, merchants }, { limit, after: place, deadline });
    const orderIds = await readModel.operatorOrders.orderIdsOf(
      page.records.map(({ view }) => view.orderStream),
      deadline,
    );
    const now = clock.now();
    return {
      deliveries: page.records.map(({ view }) => listedDelivery(view, orderIds.get(view.orderStream), now)),
      ...(await this.#end(deliveries, page.next, digest)),
    };
  }

  /** Orders with an unknown outcome, including that of a follow-up, the longest unknown first. Undefined as for `deliveries`. */
  async unknown(merchant: string | undefined, asked: Asked): Promise<ListedUnknown | undefined> {
    const { readModel, accounts } = this.ports;
    const { limit, cursor, operator, deadline } = asked;
    const merchants = merchantsListed(operator, accounts.logins, merchant);
    const digest = this.#digest('unknown', { merchants });
    const after = this.#placeOf(cursor, digest);
    if (after === 'malformed') return undefined;
    const page = await readModel.operatorOrders.unknown(merchants, { limit, after, deadline });
    const summaries = page.records.map(({ view }) => orderSummary(view));
    const orders = seesPersonalData(operator.role) ? summaries : summaries.map(withoutPersonalData);
    return { orders, ...(await this.#end(orderStatuses, page.next, digest)) };
  }

  /**
   * What operators did, asked and were refused, and changes of the configuration, newest first. A limited operator sees its own entries, and
   * those about orders of its merchants.
   * @param person the name of an operator
   */
  async activity(
    { person, ...filter }: Omit<ActivityFilter, 'actor'> & { readonly person?: string | undefined },
    asked: Asked,
  ): Promise<ActivityListed | undefined> {
    const { limit, cursor, operator, deadline } = asked;
    const digest = this.#digest('activity', { ...filter, person, seenBy: operator.merchants && operator.name });
    const place = this.#placeOf(cursor, digest);
    if (place === 'malformed') return undefined;
    const wanted = { ...filter, actor: person === undefined ? undefined : OPERATOR_PREFIX + person };
    if (operator.merchants === undefined) {
      const page = await this.ports.readModel.activity.page(wanted, { limit, after: place, deadline });
      return { activity: page.entries.map(shownActivity), ...(await this.#end(activity, page.next, digest)) };
    }
    const shown: ListedActivity[] = [];
    let after = place;
    for (let checked = 0; checked < CHECKED_MAX; checked += CHECKED_AT_ONCE) {
      const page = await this.ports.readModel.activity.page(wanted, { limit: CHECKED_AT_ONCE, after, deadline });
      const seen = await this.#seen(page.entries, operator);
      const last = seen[limit - shown.length - 1];
      shown.push(...seen.slice(0, limit - shown.length));
      if (last !== undefined) {
        const isEnd = page.next === undefined && page.entries.at(-1) === last;
        const next = isEnd ? undefined : placeOf(last);
        return { activity: shown.map(shownActivity), ...(await this.#end(activity, next, digest)) };
      }
      after = page.next;
      if (after === undefined) break;
    }
    const end = await this.#end(activity, after, digest);
    return { activity: shown.map(shownActivity), ...end, ...(after !== undefined && { isCutShort: true as const }) };
  }

  /**
   * Chargebacks by the day on which the answer is due, those without a day last; or closed ones, by their latest report.
   * @param since of the due day; for disputes that are over, of the latest report
   */
  async disputes(
    { merchant, ...filter }: Omit<DisputeFilter, 'merchants'> & { readonly merchant?: string | undefined },
    asked: Asked,
  ): Promise<ListedDisputes | undefined> {
    const { readModel, accounts, clock } = this.ports;
    const { limit, cursor, operator, deadline } = asked;
    const merchants = merchantsListed(operator, accounts.logins, merchant);
    const digest = this.#digest('disputes', { ...filter, merchants });
    const place = this.#placeOf(cursor, digest);
    if (place === 'malformed') return undefined;
    const page = await readModel.disputes.page({ ...filter, merchants }, { limit, after: place, deadline });
    const now = clock.now();
    const isMeant = ({ state, chargeback: { respondBy = NO_DAY } }: OrderDispute): boolean =>
      filter.state === 'over' ||
      (state === 'open' &&
        (filter.since === undefined || respondBy >= filter.since) &&
        (filter.until === undefined || respondBy < filter.until));
    const disputes = page.records.flatMap(({ view }) =>
      disputesOf(view)
        .filter(isMeant)
        .map((dispute) => listedDispute(view, dispute, now)),
    );
    return { disputes, ...(await this.#end(orderStatuses, page.next, digest)) };
  }

  async #seen(entries: readonly ListedActivity[], operator: Asked['operator']): Promise<readonly ListedActivity[]> {
    const targets = entries.flatMap(({ target }) => (target !== null && isOrderId(target) ? [target] : []));
    const merchants = merchantsSeenBy(operator, this.ports.accounts.logins);
    const known = await this.ports.readModel.operatorOrders.knownOf(merchants, [...new Set(targets)]);
    const isOwn = ({ actor }: ListedActivity): boolean => actor === OPERATOR_PREFIX + operator.name;
    return entries.filter((entry) => isOwn(entry) || (entry.target !== null && known.has(entry.target)));
  }

  /** Undefined if the cursor is not the `next` of a page with the same filters. @throws StoreUnavailable, also after the deadline */
  async approvals(
    { state, proposer }: { readonly state?: ApprovalState | undefined; readonly proposer?: string | undefined },
    asked: Asked,
  ): Promise<ListedApprovals | undefined> {
    const { readModel, accounts, clock } = this.ports;
    const merchants = merchantsListed(asked.operator, accounts.logins, undefined);
    const digest = this.#digest('approvals', { state, proposer, merchants });
    const after = this.#placeOf(asked.cursor, digest);
    if (after === 'malformed') return undefined;
    const { limit, deadline } = asked;
    const now = clock.now();
    const filter = {
      statuses: state === undefined ? APPROVAL_STATUSES : APPROVAL_STATES[state],
      merchants,
      proposer,
      // A proposal whose time is over no longer waits, although no event says so.
      since: state === 'waiting' ? addMs(now, 1 - PROPOSAL_TERM_MS) : undefined,
    };
    const page = await readModel.approvals.page(filter, { limit, after, isNewestFirst: state !== 'waiting', deadline });
    return {
      approvals: page.records.map(({ stream, view }) => approvalAsJson(approvalIdOf(stream), view, now)),
      ...(await this.#end(approvals, page.next, digest)),
    };
  }

  /** Actions of the last days that an admin took without a second person, the newest first. */
  async actionsAlone({ merchants }: Pick<Operator, 'merchants'>): Promise<readonly ListedApproval[]> {
    const now = this.ports.clock.now();
    const found = await this.ports.readModel.approvals.alone(addMs(now, -ALONE_SHOWN_MS), { merchants, limit: ALONE_MAX });
    return found.map(({ stream, view }) => approvalAsJson(approvalIdOf(stream), view, now));
  }

  #digest(list: string, filter: object): string {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const parts = given.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, value]) => [name, String(value)]);
    return this.ports.digests.onceKey('audit question', [list, ...parts]);
  }

  #placeOf(cursor: string | undefined, digest: string): ListPlace | undefined | 'malformed' {
    if (cursor === undefined) return undefined;
    const place = readCursor(this.ports.digests, cursor, digest);
    return place === undefined ? 'malformed' : { at: place.createdAt, stream: place.stream };
  }

  async #end({ name, categories }: Pick<Projection, 'name' | 'categories'>, next: ListPlace | undefined, digest: string): Promise<PageEnd> {
    const { log, readModel, digests, clock } = this.ports;
    const health = (await readModel.health()).find((one) => one.projection === name);
    const index = await listState(log, health?.position, clock.now(), categories);
    return {
      ...(next !== undefined && { next: writeCursor(digests, { createdAt: next.at, stream: next.stream }, digest) }),
      ...(index !== 'level' && { index }),
    };
  }
}
