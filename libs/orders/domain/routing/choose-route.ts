import type { GateAlias, NonEmpty } from '@app/kernel';
import { failedConditions, type RouteFacts, type RoutingCondition } from './rule-conditions';
import { DEFAULT_RULE, type RoutingChoice, type RoutingRule, type Share } from './routing-rules';

export const DRAWS = 2 ** 32;

export interface RouteInputs {
  readonly facts: RouteFacts;
  readonly able: NonEmpty<GateAlias>;
  /** Below `DRAWS`; gates without a draw are ordered only by weight. */
  readonly draws: ReadonlyMap<GateAlias, number>;
  readonly commissions: ReadonlyMap<GateAlias, bigint>;
  /** Gates that are left out if another one remains. */
  readonly away: ReadonlySet<GateAlias>;
}

/** Why an earlier rule was skipped: its conditions failed, or none of its gates can serve the order. */
export interface PassedOver {
  readonly rule: string;
  readonly failed: NonEmpty<RoutingCondition | 'gates'>;
}

export interface MatchedRule {
  readonly name: string;
  readonly choice: RoutingChoice;
  readonly why: readonly PassedOver[];
}

export interface Route {
  readonly rule: string;
  readonly gates: NonEmpty<GateAlias>;
  readonly leftOut: readonly GateAlias[];
  readonly why: readonly PassedOver[];
}

export const gatesOf = (choice: RoutingChoice): readonly GateAlias[] =>
  choice.kind === 'split' ? choice.shares.map(({ gate }) => gate) : choice.gates;

const failedOf = ({ when, choice }: RoutingRule, facts: RouteFacts, able: readonly GateAlias[]): PassedOver['failed'] | undefined => {
  const failed = failedConditions(when, facts);
  if (failed !== undefined) return failed;
  return gatesOf(choice).some((gate) => able.includes(gate)) ? undefined : ['gates'];
};

export const heldRule = (rules: readonly RoutingRule[], { facts, able }: Pick<RouteInputs, 'facts' | 'able'>): MatchedRule => {
  const why: PassedOver[] = [];
  for (const rule of rules) {
    const failed = failedOf(rule, facts, able);
    if (failed === undefined) return { name: rule.name, choice: rule.choice, why };
    why.push({ rule: rule.name, failed });
  }
  return { name: DEFAULT_RULE, choice: { kind: 'cascade', gates: able }, why };
};

/** An exponential waiting time with the weight as its rate: the shortest wins. Stable when other gates come or go (rendezvous hashing). */
const waitOf = ({ weight }: Share, draw: number): number => -Math.log((draw + 0.5) / DRAWS) / weight;

const byWeight = (shares: readonly Share[], draws: RouteInputs['draws']): readonly GateAlias[] => {
  const heaviest = shares.toSorted((a, b) => b.weight - a.weight);
  let drawn: { readonly gate: GateAlias; readonly wait: number } | undefined;
  for (const share of shares) {
    const draw = draws.get(share.gate);
    const wait = draw === undefined ? Infinity : waitOf(share, draw);
    if (wait < (drawn?.wait ?? Infinity)) drawn = { gate: share.gate, wait };
  }
  const gates = heaviest.map(({ gate }) => gate);
  return drawn === undefined ? gates : [drawn.gate, ...gates.filter((gate) => gate !== drawn.gate)];
};

const byCommission = (gates: readonly GateAlias[], commissions: RouteInputs['commissions']): readonly GateAlias[] =>
  gates.toSorted((a, b) => {
    const [first, second] = [commissions.get(a), commissions.get(b)];
    if (first === undefined || second === undefined) throw new Error('a choice by commission lacks the commission of a gate');
    return first < second ? -1 : Number(first > second);
  });

const ordered = (choice: RoutingChoice, among: ReadonlySet<GateAlias>, { draws, commissions }: RouteInputs): readonly GateAlias[] => {
  if (choice.kind === 'split') {
    const shares = choice.shares.filter(({ gate }) => among.has(gate));
    return byWeight(shares, draws);
  }
  const gates = choice.gates.filter((gate) => among.has(gate));
  return choice.kind === 'cascade' ? gates : byCommission(gates, commissions);
};

/** Gates that are away are left out before a draw, so that the others share their part. */
export const routeBy = ({ name, choice, why }: MatchedRule, inputs: RouteInputs): Route => {
  const candidates = gatesOf(choice).filter((gate) => inputs.able.includes(gate));
  const present = candidates.filter((gate) => !inputs.away.has(gate));
  const among = present.length > 0 ? present : candidates;
  const [first, ...others] = ordered(choice, new Set(among), inputs);
  if (first === undefined) throw new Error(`rule ${name} has no gate that can serve the order`);
  return { rule: name, gates: [first, ...others], leftOut: candidates.filter((gate) => !among.includes(gate)), why };
};

/** Pure, so that decisions can be replayed (architecture, rule 7). */
export const chooseRoute = (rules: readonly RoutingRule[], inputs: RouteInputs): Route => routeBy(heldRule(rules, inputs), inputs);
