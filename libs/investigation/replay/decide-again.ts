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
import { type EndpointRules, routeAgain, type GatesOfToday, screenAgain, type ScreenedAgain } from './rules-again';
import { type PastEnd, type PastOrder, walkAgain, type NotKnown, type WouldEnd } from './past-order';

/** Cards, or entry points, that are counted at one time; beyond that the least recently seen is forgotten, and counts may be too low. */
const CARDS_MAX = 500_000;

const HOUR_MS = 3_600_000;

/** The first index of an ascending list at which a time is later than this one. */
const firstAfter = (times: readonly number[], since: number): number => {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) > since) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Counts the orders of each card, or of each entry point, as rules with a limit need it and no further back. */
export class CardCounts {
  readonly #times = new Map<string, number[]>();
  readonly #cardsMax: number;
  #isIncomplete = false;

  constructor(cardsMax = CARDS_MAX) {
    this.#cardsMax = cardsMax;
  }

  /** Whether a card was forgotten, so that a count may be too low. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Orders within the limit's time before this moment; of those that are older than the limit's count none is kept. */
  countOf(card: string, { hours }: CountLimit, at: Instant): number {
    const times = this.#times.get(card);
    return times === undefined ? 0 : times.length - firstAfter(times, at - hours * HOUR_MS);
  }

  add(card: string, { count }: CountLimit, at: Instant): void {
    const times = this.#times.get(card) ?? [];
    // The clocks of two processes differ by little; the list stays in order.
    times.push(Math.max(at, times.at(-1) ?? at));
    // Cut now and then, so that a card with very many orders costs no more for each of them.
    if (times.length > 2 * count) times.splice(0, times.length - count);
    this.#times.delete(card);
    this.#times.set(card, times);
    if (this.#times.size <= this.#cardsMax) return;
    const [eldest] = this.#times.keys();
    if (eldest !== undefined) this.#times.delete(eldest);
    this.#isIncomplete = true;
  }
}

/** `same`: decided as it was. `same-outcome`: by another rule or gate, with the same end and amount. */
export const WHAT_IF_CLASSES = ['same', 'same-outcome', 'differs', 'cannot-know'] as const;
export type WhatIfClass = (typeof WHAT_IF_CLASSES)[number];

/** An order as it was decided, and as it would be. */
export interface DecidedAgain {
  readonly order: PastOrder;
  readonly class: WhatIfClass;
  readonly was: PastEnd;
  readonly would: WouldEnd;
  /** The rule that makes the difference, such as `screening per-card`, `routing small-amounts` or `gates`; undefined where nothing differs. */
  readonly by: string | undefined;
  /** A split drew a gate by a number that this order never had. */
  readonly isDrawnAnew: boolean;
}

/** How an order ended is read only where somebody asks: most are decided as they were. */
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

/** The rules that were in force, as the log has them under their versions. */
export interface RecordedRules {
  screening(version: string): ConfiguredRules | undefined;
  routing(version: string): readonly RoutingRule[] | undefined;
}

/** What the screening of an order said again, and at the moment at which it was screened. */
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

/** Whether an order counts against the limit of its card and that of its address. */
interface Counted {
  readonly card: Certainty;
  readonly ip: Certainty;
}

/** As in the service: an order that the limit of its address stops was counted for its card. */
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

/** What a configuration allows at most: a recorded count may be as high, and so may be what is subtracted from it. */
const COUNT_MAX = 1_000_000;

/** Decides the orders of one log again, in the order of the log: what a limit lets through depends on what it let through before. */
export class DecideAgain {
  readonly #today: GatesOfToday;
  readonly #recorded: RecordedRules;
  /** Orders that count now; `changed` are those that counted then and not now, or the reverse, or that may. */
  readonly #cards = { sure: new CardCounts(), possible: new CardCounts(), changed: new CardCounts() };
  /** Orders that may count now and did not then, and the reverse; by entry point, because the log has addresses only sealed. */
  readonly #addresses = { added: new CardCounts(), removed: new CardCounts() };

  /** When a gate was first on record for an order of an entry point. */
  readonly #gatesSince = new Map<string, Map<GateAlias, Instant>>();

  constructor(today: GatesOfToday, recorded: RecordedRules) {
    this.#today = today;
    this.#recorded = recorded;
  }

  get isCountIncomplete(): boolean {
    return [...Object.values(this.#cards), ...Object.values(this.#addresses)].some(({ isIncomplete }) => isIncomplete);
  }

  /** When an order is accepted. */
  accept(order: PastOrder): void {
    const since = this.#gatesSince.get(entryPointOf(order)) ?? new Map<GateAlias, Instant>();
    for (const gate of order.gatesOnRecord) if (!since.has(gate)) since.set(gate, order.acceptedAt);
    this.#gatesSince.set(entryPointOf(order), since);
  }

  /** When an order is first submitted. */
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

  /** Once an order ended, or where its log ends. @param submitted undefined for one that was never submitted */
  decide(order: PastOrder, rules: EndpointRules, submitted: SubmittedAgain | undefined): DecidedAgain {
    const decided = (would: WouldEnd, by: string, isDrawnAnew = false): DecidedAgain => {
      const was = order.end;
      const ofEnd = isSameEnd(was, would) ? 'same-outcome' : 'differs';
      return { order, class: would.kind === 'cannot-know' ? 'cannot-know' : ofEnd, was, would, by, isDrawnAnew };
    };
    const same = new DecidedAlike(order);
    // It ended before any rule was asked, or was not there yet.
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
    // Which of the gates comes first is nothing where the consumer chose one of them.
    if (isSameRoute || (chosenGate !== undefined && route.includes(chosenGate))) return new DecidedAlike(order, again?.isDrawnAnew);
    const by = again === undefined || again.rule === DEFAULT_RULE ? 'gates' : `routing ${again.rule}`;
    return decided(walkAgain(order, route), by, again?.isDrawnAnew);
  }

  /** A gate of today's configuration that no earlier order had on record was added later. */
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
