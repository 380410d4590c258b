import { StoreUnavailable, UndecodableEvent, type AnyEvent, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Accounts, WhatIfRules } from '@app/configuration';
import type { Deadline, Instant, MerchantLogin, Money } from '@app/kernel';
import { decodeAny } from '@app/read-models/queries';
import { ROUTING_CATEGORY, routingVersionOf, rulesVersionOf, SCREENING_CATEGORY } from '@app/orders';
import type { ConfiguredRules, RoutingRule, RoutingRulesRecorded, ScreeningRulesRecorded } from '@app/orders/domain';
import { ORDER_STATUS_CATEGORIES, type OrderEvent } from '@app/read-models';
import {
  ReplayDecisions,
  type DecidedAgain,
  type RecordedRules,
  type SubmittedAgain,
  WHAT_IF_CLASSES,
  type WhatIfClass,
} from './replay-decisions';
import { gatesOfToday, RulesByEndpoint, type EndpointRules } from './replay-rules';
import { PastOrder, type NotKnown, type WouldEnd } from './past-order';

/** Orders followed at one time. Beyond that, the oldest are decided as if the log ended there. */
const OPEN_MAX = 200_000;
/** Rule versions kept. An order with an older one is decided as if its rules were not recorded. */
const VERSIONS_MAX = 10_000;

interface WhatIfSettings {
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly rules: WhatIfRules;
  readonly accounts: Pick<Accounts, 'gates' | 'merchant'>;
  /** Absent: all. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  /** Orders accepted from `from` on and before `before` are decided. Others only count for limits of cards. */
  readonly from?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly onDecided: (decided: DecidedAgain) => void;
  readonly onProgress?: (orders: number) => void;
  /** Awaited after each few events, so that requests come first. */
  readonly pause?: () => Promise<void>;
  /** Ends the run early. */
  readonly deadline?: Deadline;
}

export interface WhatIfEnd {
  readonly orders: number;
  readonly notConcerned: number;
  readonly unreadable: number;
  readonly isIncomplete: boolean;
}

const PROGRESS_EVERY = 1_000;
/** Below a millisecond of work. */
const EVENTS_PER_PAUSE = 16;

interface Followed {
  readonly order: PastOrder;
  readonly rules: EndpointRules;
  submitted: SubmittedAgain | undefined;
  revision: bigint;
}

class RulesAsRecorded implements RecordedRules {
  readonly #screening = new Map<string, ConfiguredRules>();
  readonly #routing = new Map<string, readonly RoutingRule[]>();

  screening(version: string): ConfiguredRules | undefined {
    return this.#screening.get(version);
  }

  routing(version: string): readonly RoutingRule[] | undefined {
    return this.#routing.get(version);
  }

  add(stream: StreamName, event: AnyEvent): void {
    if (this.#screening.size + this.#routing.size >= VERSIONS_MAX) return;
    if (event.type === 'ScreeningRulesRecorded') this.#screening.set(rulesVersionOf(stream), (event as ScreeningRulesRecorded).data);
    else if (event.type === 'RoutingRulesRecorded') this.#routing.set(routingVersionOf(stream), (event as RoutingRulesRecorded).data.rules);
  }
}

class WhatIf {
  readonly #settings: WhatIfSettings;
  readonly #rules: RulesByEndpoint;
  readonly #recorded = new RulesAsRecorded();
  readonly #again: ReplayDecisions;
  readonly #open = new Map<StreamName, Followed>();
  #orders = 0;
  #notConcerned = 0;
  #unreadable = 0;
  #isIncomplete = false;

  constructor(settings: WhatIfSettings) {
    this.#settings = settings;
    this.#rules = new RulesByEndpoint(settings.rules);
    this.#again = new ReplayDecisions(gatesOfToday(settings.accounts), this.#recorded);
  }

  take(stored: StoredEvent): void {
    const { stream, type } = stored;
    const followed = this.#open.get(stream);
    if (followed !== undefined) return this.#goOn(followed, stored);
    if (type === 'OrderAccepted') return this.#accept(stored);
    if (type !== 'ScreeningRulesRecorded' && type !== 'RoutingRulesRecorded') return;
    const event = readable(stored);
    if (event !== undefined) this.#recorded.add(stream, event);
  }

  /** Decides orders still open at the log's end. */
  end(): WhatIfEnd {
    for (const stream of [...this.#open.keys()]) this.#decide(stream);
    return {
      orders: this.#orders,
      notConcerned: this.#notConcerned,
      unreadable: this.#unreadable,
      isIncomplete: this.#isIncomplete || this.#again.isCountIncomplete,
    };
  }

  #accept(stored: StoredEvent): void {
    const event = readable(stored) as Extract<OrderEvent, { readonly type: 'OrderAccepted' }> | undefined;
    if (event === undefined) {
      this.#orders += 1;
      this.#unreadable += 1;
      return;
    }
    const { merchant, endpointId } = event.data;
    if (this.#settings.merchants?.includes(merchant) === false) return;
    const isMeant = this.#isMeant(event.data);
    if (isMeant) this.#orders += 1;
    if (isMeant && this.#orders % PROGRESS_EVERY === 0) this.#settings.onProgress?.(this.#orders);
    const rules = this.#rules.of(merchant, endpointId);
    if (rules === undefined) {
      if (isMeant) this.#notConcerned += 1;
      return;
    }
    const order = new PastOrder(event, read);
    this.#again.accept(order);
    this.#open.set(stored.stream, { order, rules, submitted: undefined, revision: stored.revision });
    if (this.#open.size <= OPEN_MAX) return;
    const [eldest] = this.#open.keys();
    if (eldest !== undefined) this.#decide(eldest);
    this.#isIncomplete = true;
  }

  #goOn(followed: Followed, stored: StoredEvent): void {
    const { order, rules } = followed;
    const { stream, revision } = stored;
    if (revision <= followed.revision) return;
    if (revision !== followed.revision + 1n) return this.#passOver(stream);
    followed.revision = revision;
    this.#orPassOver(stream, () => {
      order.take(stored);
      if (followed.submitted === undefined && order.isSubmitted) followed.submitted = this.#again.screen(order, rules);
    });
    if (order.isEnded) this.#decide(stream);
  }

  #decide(stream: StreamName): void {
    const followed = this.#open.get(stream);
    if (followed === undefined) return;
    this.#orPassOver(stream, () => {
      const decided = this.#again.decide(followed.order, followed.rules, followed.submitted);
      if (this.#isMeant(decided.order)) this.#settings.onDecided(decided);
    });
    this.#open.delete(stream);
  }

  #isMeant({ acceptedAt }: { readonly acceptedAt: Instant }): boolean {
    const { from = acceptedAt, before } = this.#settings;
    return acceptedAt >= from && (before === undefined || acceptedAt < before);
  }

  /** An unreadable order is counted and skipped. */
  #orPassOver(stream: StreamName, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UndecodableEvent)) throw error;
      this.#passOver(stream);
    }
  }

  #passOver(stream: StreamName): void {
    this.#open.delete(stream);
    this.#unreadable += 1;
  }
}

const read = (stored: StoredEvent): Exclude<OrderEvent, { readonly type: 'OrderAccepted' }> =>
  decodeAny(stored) as Exclude<OrderEvent, { readonly type: 'OrderAccepted' }>;

const readable = (stored: StoredEvent): AnyEvent | undefined => {
  try {
    return decodeAny(stored);
  } catch (error) {
    if (error instanceof UndecodableEvent) return undefined;
    throw error;
  }
};

/** Decides every order of a log again under other rules. Read-only: no gate is called, no text unsealed, nothing written. @throws StoreUnavailable */
export const whatIf = async (settings: WhatIfSettings): Promise<WhatIfEnd> => {
  const run = new WhatIf(settings);
  const { log, pause, deadline } = settings;
  const subscription = log.subscribe([...ORDER_STATUS_CATEGORIES, SCREENING_CATEGORY, ROUTING_CATEGORY], 'start');
  // An unavailable log yields nothing, so only cancelling the subscription ends the wait.
  const forget = deadline?.whenOver(() => void subscription.cancel());
  let events = 0;
  let isWhole = false;
  try {
    for await (const item of subscription) {
      isWhole = item.kind === 'caught-up';
      if (isWhole || deadline?.isOver === true) break;
      if (item.kind === 'event') run.take(item.event);
      events += 1;
      if (events % EVENTS_PER_PAUSE === 0) await pause?.();
    }
  } finally {
    forget?.();
    await subscription.cancel();
  }
  if (!isWhole && deadline?.isOver !== true) throw new StoreUnavailable('the log ended the subscription');
  return run.end();
};

/** Effect of one rule on the orders of one currency, in minor units. */
export interface RuleTotals {
  readonly by: string;
  readonly currency: string;
  readonly orders: number;
  readonly wasMinor: bigint;
  /** Amount that would be approved, of orders with a known result. */
  readonly wouldMinor: bigint;
  readonly notKnown: number;
  readonly notKnownWasMinor: bigint;
  readonly notKnownAskedMinor: bigint;
}

type Draft = { -readonly [Member in keyof RuleTotals]: RuleTotals[Member] };

const ROWS_MAX = 10_000;
const OTHERS = 'others';

/** Of orders with this end: `unknown` for an open order, or an end that cannot be known. Only an approval has a gate. */
export interface EndCount {
  readonly outcome: 'approved' | 'declined' | 'filtered' | 'error' | 'unknown';
  readonly gate: string | null;
  was: number;
  would: number;
}

const outcomeOf = (end: WouldEnd): Pick<EndCount, 'outcome' | 'gate'> => {
  if (end.kind === 'approved') return { outcome: 'approved', gate: end.gate ?? null };
  return { outcome: end.kind === 'refused' ? end.status : 'unknown', gate: null };
};

const approvedMinor = (end: { readonly kind: string; readonly amount?: Money }): bigint =>
  end.kind === 'approved' ? (end.amount?.minor ?? 0n) : 0n;

export class WhatIfTotals {
  readonly classes: Record<WhatIfClass, number>;
  readonly notKnown = new Map<NotKnown, number>();
  drawnAnew = 0;
  readonly #rows = new Map<string, Draft>();
  readonly #ends = new Map<string, EndCount>();

  constructor() {
    this.classes = Object.fromEntries(WHAT_IF_CLASSES.map((name) => [name, 0])) as Record<WhatIfClass, number>;
  }

  add(decided: DecidedAgain): void {
    this.classes[decided.class] += 1;
    if (decided.isDrawnAnew) this.drawnAnew += 1;
    this.#end(decided.was).was += 1;
    this.#end(decided.would).would += 1;
    if (decided.class === 'same') return;
    const { order, was, would, by } = decided;
    if (would.kind === 'cannot-know') this.notKnown.set(would.why, (this.notKnown.get(would.why) ?? 0) + 1);
    if (by === undefined) return;
    const row = this.#row(by, order.amount.currency);
    row.orders += 1;
    if (would.kind === 'cannot-know') {
      row.notKnown += 1;
      row.notKnownWasMinor += approvedMinor(was);
      row.notKnownAskedMinor += order.amount.minor;
    } else {
      row.wasMinor += approvedMinor(was);
      row.wouldMinor += approvedMinor(would);
    }
  }

  ends(): readonly EndCount[] {
    return [...this.#ends.values()].toSorted((a, b) => b.would - a.would || b.was - a.was);
  }

  #end(end: WouldEnd): EndCount {
    const { outcome, gate } = outcomeOf(end);
    const key = `${outcome} ${gate ?? ''}`;
    const known = this.#ends.get(key) ?? { outcome, gate, was: 0, would: 0 };
    this.#ends.set(key, known);
    return known;
  }

  rules(): readonly RuleTotals[] {
    return [...this.#rows.values()].toSorted((a, b) => b.orders - a.orders || (a.by < b.by ? -1 : 1));
  }

  #row(by: string, currency: string): Draft {
    const name = this.#rows.size < ROWS_MAX || this.#rows.has(`${by} ${currency}`) ? by : OTHERS;
    const key = `${name} ${currency}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { by: name, currency, orders: 0, wasMinor: 0n, wouldMinor: 0n, notKnown: 0, notKnownWasMinor: 0n, notKnownAskedMinor: 0n };
      this.#rows.set(key, row);
    }
    return row;
  }
}
