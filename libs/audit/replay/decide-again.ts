import type { ConfiguredRules, RoutingRule } from '@app/order-processing/domain';
import { DEFAULT_RULE, FILTERED, NO_GATE } from '@app/order-processing/domain';
import type { GateAlias, Money, NonEmpty } from '@app/kernel';
import { CardCounts } from './card-counts';
import type { EndpointRules } from './endpoint-rules';
import type { PastEnd, PastOrder } from './past-order';
import { routeAgain, type GatesOfToday } from './route-again';
import { screenAgain, type ScreenedAgain } from './screen-again';
import { walkAgain, type WouldEnd } from './walk-again';

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
  readonly isDrawnAnew = false;

  constructor(readonly order: PastOrder) {}

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

const FILTERED_END = { kind: 'refused', status: 'filtered', code: FILTERED } as const satisfies PastEnd;

/** Decides the orders of one log again, in the order of the log: what a limit lets through depends on what it let through before. */
export class DecideAgain {
  readonly #today: GatesOfToday;
  readonly #recorded: RecordedRules;
  readonly #counts: CardCounts;

  constructor(today: GatesOfToday, recorded: RecordedRules, counts = new CardCounts()) {
    this.#today = today;
    this.#recorded = recorded;
    this.#counts = counts;
  }

  get isCountIncomplete(): boolean {
    return this.#counts.isIncomplete;
  }

  /** When an order is first submitted. */
  screen(order: PastOrder, { screening }: EndpointRules): SubmittedAgain {
    if (screening === undefined) return { kind: 'as-recorded' };
    if (screening === 'none') return { kind: 'passes' };
    const { screened, card } = order;
    const { perCard } = screening.configured;
    const counted = perCard.count > 0 && card !== undefined ? `${order.merchant} ${order.endpointId} ${card.uid}` : undefined;
    const at = screened?.screenedAt ?? order.acceptedAt;
    const bin = screened?.bin ?? card?.face.bin ?? '';
    const known = {
      amounts: order.amounts,
      bin,
      issuerCountry: screening.configured.blockedCountries.length > 0 ? order.issuerCountry : undefined,
      cardCount: counted === undefined ? 0 : this.#counts.countOf(counted, perCard, at),
    };
    const recorded = screened && { screened, rules: this.#recorded.screening(screened.rulesVersion) };
    const again = screenAgain(screening, known, recorded);
    // As in the service: what a later rule stops was counted for its card all the same.
    if (counted !== undefined && (again.kind !== 'broken' || again.rule === 'per-ip')) this.#counts.add(counted, perCard, at);
    return screened?.rulesVersion === screening.version ? { kind: 'as-recorded' } : again;
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
      const why = submitted.rules.every((rule) => rule === 'blocked-bin') ? 'digits-not-shown' : 'text-sealed';
      return decided({ kind: 'cannot-know', why }, `screening ${submitted.rules[0] ?? ''}`);
    }
    if (submitted.kind === 'as-recorded' && brokenThen !== undefined) return same;
    return this.#throughGates(order, rules, same, decided);
  }

  #throughGates(
    order: PastOrder,
    { gates, routing }: EndpointRules,
    same: DecidedAgain,
    decided: (would: WouldEnd, by: string, isDrawnAnew?: boolean) => DecidedAgain,
  ): DecidedAgain {
    const { plan, chosenGate, screened } = order;
    const brokenThen = screened?.brokenRule;
    const [first, ...others] = plan.gates;
    const planned: NonEmpty<GateAlias> = [first.alias, ...others.map(({ alias }) => alias)];
    const isRouted = gates !== undefined || (routing !== undefined && (routing === 'none' || routing.version !== plan.route?.rulesVersion));
    const again = isRouted ? routeAgain(order, { gates, rules: this.#rulesOf(routing, order) }, this.#today) : undefined;
    if (isRouted && again === undefined) return decided({ kind: 'refused', status: 'error', code: NO_GATE }, 'gates');
    const route = again?.gates ?? planned;
    const isSameRoute = route.length === planned.length && route.every((gate, index) => gate === planned[index]);
    if (brokenThen !== undefined) return decided(walkAgain(order, route), `screening ${brokenThen}`, again?.isDrawnAnew);
    // Which of the gates comes first is nothing where the consumer chose one of them.
    if (isSameRoute || (chosenGate !== undefined && route.includes(chosenGate))) return same;
    const by = again === undefined || again.rule === DEFAULT_RULE ? 'gates' : `routing ${again.rule}`;
    return decided(walkAgain(order, route), by, again?.isDrawnAnew);
  }

  #rulesOf(routing: EndpointRules['routing'], { plan }: PastOrder): readonly RoutingRule[] {
    if (routing === 'none') return [];
    if (routing !== undefined) return routing.rules;
    const version = plan.route?.rulesVersion;
    return (version === undefined ? undefined : this.#recorded.routing(version)) ?? [];
  }
}
