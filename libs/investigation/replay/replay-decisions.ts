import type { Instant, GateAlias, Money, NonEmpty } from '@app/kernel';
import {
  type CountLimit,
  type ConfiguredRules,
  type OrderScreened,
  type RoutingRule,
  type ScreeningRule,
  DEFAULT_RULE,
  FILTERED,
  NO_GATE,
} from '@app/orders/domain';
import { type EndpointRules, routeAgain, type CurrentGates, screenAgain, type ScreenedAgain } from './replay-rules';
import { type PastEnd, type PastOrder, walkAgain, type NotKnown, type WouldEnd } from './past-order';

/** Cards, or entry points, counted at one time. Beyond that the least recently used is dropped, and counts may be too low. */
const CARDS_MAX = 500_000;

const HOUR_MS = 3_600_000;

const firstAfter = (times: readonly number[], since: number): number => {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) > since) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Counts the orders of each card or entry point, only as far back as a rule's limit needs. */
export class CardCounts {
  readonly #times = new Map<string, number[]>();
  readonly #cardsMax: number;
  #isIncomplete = false;

  constructor(cardsMax = CARDS_MAX) {
    this.#cardsMax = cardsMax;
  }

  /** True if a card was dropped, so that a count may be too low. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Orders within the limit's time before this moment, at most the limit's count. */
  countOf(card: string, { hours }: CountLimit, at: Instant): number {
    const times = this.#times.get(card);
    return times === undefined ? 0 : times.length - firstAfter(times, at - hours * HOUR_MS);
  }

  add(card: string, { count }: CountLimit, at: Instant): void {
    const times = this.#times.get(card) ?? [];
    // Clocks of processes may differ slightly; keeps the list in order.
    times.push(Math.max(at, times.at(-1) ?? at));
    // Trimmed occasionally, so that the cost per order stays constant.
    if (times.length > 2 * count) times.splice(0, times.length - count);
    this.#times.delete(card);
    this.#times.set(card, times);
    if (this.#times.size <= this.#cardsMax) return;
    const [eldest] = this.#times.keys();
    if (eldest !== undefined) this.#times.delete(eldest);
    this.#isIncomplete = true;
  }
}

/** `same`: decided as before. `same-outcome`: by another rule or gate, with the same end and amount. */
export const WHAT_IF_CLASSES = ['same', 'same-outcome', 'differs', 'cannot-know'] as const;
export type WhatIfClass = (typeof WHAT_IF_CLASSES)[number];

export interface DecidedAgain {
  readonly order: PastOrder;
  readonly class: WhatIfClass;
  readonly was: PastEnd;
  readonly would: WouldEnd;
  /** The rule that makes the difference, such as `screening per-card`, `routing small-amounts` or `gates`; undefined if nothing differs. */
  readonly by: string | undefined;
  /** The order has no recorded draw, so a new one was made. */
  readonly isDrawnAnew: boolean;
}

class DecidedAlike implements DecidedAgain {
  readonly class = 'same';
  readonly by = undefined;

  constructor(
    readonly order: PastOrder,
    readonly isDrawnAnew = false,
  ) {}

  get was(): PastEnd {
    return this.order.end;
  }

  get would(): PastEnd {
    return this.order.end;
  }
}

/** Recorded rules by version. */
export interface RecordedRules {
  screening(version: string): ConfiguredRules | undefined;
  routing(version: string): readonly RoutingRule[] | undefined;
}

export type SubmittedAgain = ScreenedAgain | { readonly kind: 'as-recorded' };

const isSameMoney = (one: Money | undefined, other: Money | undefined): boolean =>
  one?.minor === other?.minor && one?.currency === other?.currency;

const isSameEnd = (was: PastEnd, would: WouldEnd): boolean => {
  if (was.kind !== would.kind) return false;
  if (was.kind === 'approved' && would.kind === 'approved') return isSameMoney(was.amount, would.amount);
  return was.kind !== 'refused' || would.kind !== 'refused' || (was.status === would.status && was.code === would.code);
};

const whyDoubtful = (rules: readonly ScreeningRule[]): NotKnown => {
  if (rules.every((rule) => rule === 'blocked-bin')) return 'digits-not-shown';
  return rules.every((rule) => rule === 'per-card') ? 'count-in-doubt' : 'text-sealed';
};

const FILTERED_END = { kind: 'refused', status: 'filtered', code: FILTERED } as const satisfies PastEnd;

const entryPointOf = ({ merchant, endpointId }: PastOrder): string => `${merchant} ${endpointId}`;

type Certainty = 'yes' | 'no' | 'maybe';

interface Counted {
  readonly card: Certainty;
  readonly ip: Certainty;
}

/** As in the service: an order stopped by its address's limit was still counted for its card. */
const isBeforeIp = (rule: ScreeningRule): boolean => rule !== 'per-ip';

const countedThen = (screened: OrderScreened['data'] | undefined): Counted => {
  const brokenRule = screened?.brokenRule;
  const isStopped = brokenRule !== undefined && isBeforeIp(brokenRule);
  return {
    card: screened?.cardCount !== undefined && !isStopped ? 'yes' : 'no',
    ip: screened?.ipCount !== undefined && brokenRule === undefined ? 'yes' : 'no',
  };
};

const countedAgain = (again: ScreenedAgain): Counted => {
  switch (again.kind) {
    case 'passes':
      return { card: 'yes', ip: 'yes' };
    case 'broken':
      if (isBeforeIp(again.rule)) return { card: 'no', ip: 'no' };
      return { card: again.doubtful.some(isBeforeIp) ? 'maybe' : 'yes', ip: 'no' };
    case 'cannot-know':
      return { card: again.doubtful.some(isBeforeIp) ? 'maybe' : 'yes', ip: 'maybe' };
  }
};

/** Maximum of the configuration, and so of a recorded count and of corrections to it. */
const COUNT_MAX = 1_000_000;

/** Decides a log's orders again, in log order: earlier decisions affect a limit. */
export class ReplayDecisions {
  readonly #today: CurrentGates;
  readonly #recorded: RecordedRules;
  /** Orders that count now (`sure`, `possible`), and those whose count differs or may differ from then (`changed`). */
  readonly #cards = { sure: new CardCounts(), possible: new CardCounts(), changed: new CardCounts() };
  /** Orders that newly count, and those that no longer do. By entry point, since addresses are only stored sealed. */
  readonly #addresses = { added: new CardCounts(), removed: new CardCounts() };

  /** When a gate was first recorded for an order of an entry point. */
  readonly #gatesSince = new Map<string, Map<GateAlias, Instant>>();

  constructor(today: CurrentGates, recorded: RecordedRules) {
    this.#today = today;
    this.#recorded = recorded;
  }

  get isCountIncomplete(): boolean {
    return [...Object.values(this.#cards), ...Object.values(this.#addresses)].some(({ isIncomplete }) => isIncomplete);
  }

  accept(order: PastOrder): void {
    const since = this.#gatesSince.get(entryPointOf(order)) ?? new Map<GateAlias, Instant>();
    for (const gate of order.recordedGates) if (!since.has(gate)) since.set(gate, order.acceptedAt);
    this.#gatesSince.set(entryPointOf(order), since);
  }

  screen(order: PastOrder, { screening }: EndpointRules): SubmittedAgain {
    if (screening === undefined) return { kind: 'as-recorded' };
    if (screening === 'none') return { kind: 'passes' };
    const { screened, card } = order;
    const { perCard, perIp, blockedCountries } = screening.configured;
    const at = screened?.screenedAt ?? order.acceptedAt;
    const entryPoint = entryPointOf(order);
    const ofCard = perCard.count > 0 && card !== undefined ? `${entryPoint} ${card.uid}` : undefined;
    const cardCountIn = (counts: CardCounts): number => (ofCard === undefined ? 0 : counts.countOf(ofCard, perCard, at));
    const { added, removed } = this.#addresses;
    const addressCounts = { added: added.countOf(entryPoint, perIp, at), removed: removed.countOf(entryPoint, perIp, at) };
    const then = countedThen(screened);
    const isCountedAsThen = cardCountIn(this.#cards.changed) + addressCounts.added + addressCounts.removed === 0;
    if (screened?.rulesVersion === screening.version && isCountedAsThen) {
      if (ofCard !== undefined) this.#countCard(ofCard, { then: then.card, now: then.card }, perCard, at);
      return { kind: 'as-recorded' };
    }
    const known = {
      amounts: order.amounts,
      bin: screened?.bin ?? card?.face.bin ?? '',
      issuerCountry: blockedCountries.length > 0 ? order.issuerCountry : undefined,
      cardCount: { sure: cardCountIn(this.#cards.sure), possible: cardCountIn(this.#cards.possible) },
      addressCounts,
    };
    const recorded = screened && { screened, rules: this.#recorded.screening(screened.rulesVersion) };
    const again = screenAgain(screening, known, recorded);
    const now = countedAgain(again);
    if (ofCard !== undefined) this.#countCard(ofCard, { then: then.card, now: now.card }, perCard, at);
    if (perIp.count > 0 && then.ip === 'no' && now.ip !== 'no') added.add(entryPoint, perIp, at);
    if (perIp.count > 0 && then.ip === 'yes' && now.ip !== 'yes') removed.add(entryPoint, { ...perIp, count: COUNT_MAX }, at);
    return again;
  }

  #countCard(card: string, { then, now }: { readonly then: Certainty; readonly now: Certainty }, limit: CountLimit, at: Instant): void {
    if (now === 'yes') this.#cards.sure.add(card, limit, at);
    if (now !== 'no') this.#cards.possible.add(card, limit, at);
    if (now !== then) this.#cards.changed.add(card, limit, at);
  }

  /** Call it when the order ended, or at the log's end. @param submitted undefined if it was never submitted */
  decide(order: PastOrder, rules: EndpointRules, submitted: SubmittedAgain | undefined): DecidedAgain {
    const decided = (would: WouldEnd, by: string, isDrawnAnew = false): DecidedAgain => {
      const was = order.end;
      const ofEnd = isSameEnd(was, would) ? 'same-outcome' : 'differs';
      return { order, class: would.kind === 'cannot-know' ? 'cannot-know' : ofEnd, was, would, by, isDrawnAnew };
    };
    const same = new DecidedAlike(order);
    if (submitted === undefined) return same;
    const brokenThen = order.screened?.brokenRule;
    if (submitted.kind === 'broken') return submitted.rule === brokenThen ? same : decided(FILTERED_END, `screening ${submitted.rule}`);
    if (submitted.kind === 'cannot-know') {
      const [first] = submitted.doubtful;
      return decided({ kind: 'cannot-know', why: whyDoubtful(submitted.doubtful) }, `screening ${first ?? ''}`);
    }
    if (submitted.kind === 'as-recorded' && brokenThen !== undefined) return same;
    return this.#throughGates(order, rules, decided);
  }

  #throughGates(
    order: PastOrder,
    { gates, routing }: EndpointRules,
    decided: (would: WouldEnd, by: string, isDrawnAnew?: boolean) => DecidedAgain,
  ): DecidedAgain {
    const { plan, chosenGate, screened } = order;
    const brokenThen = screened?.brokenRule;
    const [first, ...others] = plan.gates;
    const planned: NonEmpty<GateAlias> = [first.alias, ...others.map(({ alias }) => alias)];
    const isRouted = gates !== undefined || (routing !== undefined && (routing === 'none' || routing.version !== plan.route?.rulesVersion));
    const again = isRouted
      ? routeAgain(order, { gates, had: this.#hadBy(order), rules: this.#rulesOf(routing, order) }, this.#today)
      : undefined;
    if (isRouted && again === undefined) return decided({ kind: 'refused', status: 'error', code: NO_GATE }, 'gates');
    const route = again?.gates ?? planned;
    const isSameRoute = route.length === planned.length && route.every((gate, index) => gate === planned[index]);
    if (brokenThen !== undefined) return decided(walkAgain(order, route), `screening ${brokenThen}`, again?.isDrawnAnew);
    // The order of the gates is irrelevant if the consumer chose one of them.
    if (isSameRoute || (chosenGate !== undefined && route.includes(chosenGate))) return new DecidedAlike(order, again?.isDrawnAnew);
    const by = again === undefined || again.rule === DEFAULT_RULE ? 'gates' : `routing ${again.rule}`;
    return decided(walkAgain(order, route), by, again?.isDrawnAnew);
  }

  /** A configured gate without earlier orders was added later. */
  #hadBy(order: PastOrder): readonly GateAlias[] {
    const since = this.#gatesSince.get(entryPointOf(order));
    const today = this.#today.gatesOf(order.merchant, order.endpointId) ?? [];
    return today.filter((gate) => (since?.get(gate) ?? Infinity) <= order.acceptedAt);
  }

  #rulesOf(routing: EndpointRules['routing'], { plan }: PastOrder): readonly RoutingRule[] {
    if (routing === 'none') return [];
    if (routing !== undefined) return routing.rules;
    const version = plan.route?.rulesVersion;
    return (version === undefined ? undefined : this.#recorded.routing(version)) ?? [];
  }
}
