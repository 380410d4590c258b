import type { Operator } from '@app/configuration';
import type { EventStore, OpenWork, StreamName } from '@app/event-store';
import { addMs, type Clock, type Instant } from '@app/kernel';
import type { RetentionRules } from '../erasure/domain/retention';
import { RETENTION_LANE } from '../erasure/erasure-work';
import { erasureOf } from '../erasure/erasure.codec';
import { foreseeRetention, type ForeseenErasure, type WhyNotErased } from '../erasure/foresee-retention';
import { LOOKED_AT_AGAIN_MS, type AgedErasableData } from '../erasure/retain-order';
import { auditInstant, auditInstantOrNull } from '../orders/audit-instant';
import { seesMerchant } from './operator-access';

interface RetentionPreviewsPorts {
  readonly rules: RetentionRules;
  /** Undefined if no rule erases by age. */
  readonly work: Pick<OpenWork, 'firstOf'> | undefined;
  readonly erasableData: { of(stream: StreamName): Promise<AgedErasableData | undefined> };
  readonly log: Pick<EventStore, 'read'>;
  readonly clock: Clock;
}

interface AgedData {
  readonly orders: number;
  /** When the oldest of these orders ended. */
  readonly oldestEndedAt: string | null;
}

interface MerchantRetention {
  readonly merchant: string;
  readonly cards: AgedData;
  /** Personal data and free text. */
  readonly texts: AgedData;
  /** Data that are old enough but kept, such as those under legal hold. An order may have several reasons. */
  readonly kept: readonly { readonly reason: WhyNotErased; readonly orders: number }[];
}

export interface RetentionPreview {
  /** False if the configuration has no rule that erases by age. */
  readonly hasRules: boolean;
  /** A day from now. Each order that is kept is checked again within it. */
  readonly until: string;
  /** The earliest check of an order; in the past if it is due. */
  readonly nextRunAt: string | null;
  /** Orders to be checked until then. */
  readonly orders: number;
  /** There are more, which are not counted. */
  readonly isCutShort?: true;
  readonly merchants: readonly MerchantRetention[];
}

const ORDERS_MAX = 200;
/** Work items have no index by merchant. */
const ITEMS_MAX = 10_000;
const AT_ONCE = 10;
const ANSWER_MS_MAX = 2_000;

interface Foreseen extends ForeseenErasure {
  readonly merchant: string;
  readonly endedAt: Instant | undefined;
}

const agedData = (orders: readonly Foreseen[]): AgedData => {
  const ends = orders.flatMap(({ endedAt }) => endedAt ?? []);
  return { orders: orders.length, oldestEndedAt: auditInstantOrNull(ends.length === 0 ? null : (Math.min(...ends) as Instant)) };
};

const ofMerchant = (merchant: string, orders: readonly Foreseen[]): MerchantRetention => {
  const kept = new Map<WhyNotErased, number>();
  for (const { whyNot } of orders) for (const reason of whyNot) if (reason !== 'not-yet') kept.set(reason, (kept.get(reason) ?? 0) + 1);
  return {
    merchant,
    cards: agedData(orders.filter(({ cards }) => cards)),
    texts: agedData(orders.filter(({ texts }) => texts)),
    kept: [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, count]) => ({ reason, orders: count })),
  };
};

/** What the worker would erase by age in the next day. Names no order. */
export class RetentionPreviews {
  constructor(private readonly ports: RetentionPreviewsPorts) {}

  /**
   * Examines at most 200 orders, the longest due first, for about two seconds.
   * @throws StoreUnavailable
   */
  async preview(operator: Pick<Operator, 'merchants'>): Promise<RetentionPreview> {
    const { work, clock } = this.ports;
    const now = clock.now();
    const until = addMs(now, LOOKED_AT_AGAIN_MS);
    const read = operator.merchants === undefined ? ORDERS_MAX + 1 : ITEMS_MAX;
    const items = (await work?.firstOf([{ lane: RETENTION_LANE }], read)) ?? [];
    const isAllRead = items.length < read || items.some(({ dueAt }) => dueAt > until);
    const own = items.filter(({ merchant }) => seesMerchant(operator, merchant));
    const due = own.filter(({ dueAt }) => dueAt <= until);
    const foreseen: Foreseen[] = [];
    let checked = 0;
    while (checked < Math.min(due.length, ORDERS_MAX) && clock.now() - now < ANSWER_MS_MAX) {
      const some = due.slice(checked, Math.min(checked + AT_ONCE, ORDERS_MAX));
      foreseen.push(...(await Promise.all(some.map(({ stream }) => this.#foreseen(stream, until)))).flatMap((one) => one ?? []));
      checked += some.length;
    }
    const merchants = [...new Set(foreseen.map(({ merchant }) => merchant))].sort();
    const nextRunAt = own.length === 0 ? null : (Math.min(...own.map(({ dueAt }) => dueAt)) as Instant);
    return {
      hasRules: work !== undefined,
      until: auditInstant(until),
      nextRunAt: auditInstantOrNull(nextRunAt),
      orders: checked,
      ...((checked < due.length || !isAllRead) && { isCutShort: true as const }),
      merchants: merchants.map((login) =>
        ofMerchant(
          login,
          foreseen.filter(({ merchant }) => merchant === login),
        ),
      ),
    };
  }

  async #foreseen(stream: StreamName, until: Instant): Promise<Foreseen | undefined> {
    const { erasableData, rules, log } = this.ports;
    const held = await erasableData.of(stream);
    if (held === undefined) return undefined;
    const one = foreseeRetention(rules, held, await erasureOf(log, stream), until);
    return { ...one, merchant: held.merchant, endedAt: held.aged?.finalAt };
  }
}
