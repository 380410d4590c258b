import { createHash } from 'node:crypto';
import {
  commissionOf,
  present,
  type CommissionRate,
  type GateAlias,
  type NonEmpty,
  type Money,
  type EndpointId,
  type MerchantLogin,
} from '@app/kernel';
import {
  gatesOf,
  heldRule,
  routeBy,
  type RouteFacts,
  type RoutingRule,
  SCREENING_RULES,
  screen,
  type ConfiguredRules,
  type OrderScreened,
  type ScreeningRule,
  type ScreeningRules,
} from '@app/orders/domain';
import type { Accounts, WhatIfEndpoint, WhatIfRules } from '@app/configuration';
import { namedRouting, namedRules, preparedRules } from '@app/orders';
import type { PastOrder } from './past-order';

export interface CurrentGates {
  serves(gate: GateAlias, currency: string): boolean;
  commission(gate: GateAlias): CommissionRate | undefined;
  /** The entry point's configured gates; undefined if it no longer exists. */
  gatesOf(merchant: string, endpoint: string): readonly GateAlias[] | undefined;
}

interface RoutedAgain {
  readonly gates: NonEmpty<GateAlias>;
  readonly rule: string;
  /** The order has no recorded draw, so a new one was made. */
  readonly isDrawnAnew: boolean;
}

interface RoutingRulesAgain {
  readonly gates: NonEmpty<GateAlias> | undefined;
  /** The entry point's gates at acceptance; recorded ones among them could serve the order. */
  readonly had: readonly GateAlias[];
  readonly rules: readonly RoutingRule[];
}

/** Deterministic, so that a replay gives the same result; uniformly distributed. */
const drawnAnew = (orderId: string, gate: GateAlias): number =>
  createHash('sha256')
    .update(JSON.stringify([orderId, gate]))
    .digest()
    .readUInt32BE(0);

const factsOf = (order: PastOrder, isCountryAsked: boolean): RouteFacts => {
  const {
    amount,
    plan: { route },
    acceptedAt,
    card,
  } = order;
  return present({
    amount,
    at: route?.chosenAt ?? acceptedAt,
    bin: route?.bin ?? card?.face.bin,
    brand: route?.brand ?? card?.face.brand,
    country: route?.country ?? (isCountryAsked ? order.issuerCountry : undefined),
  });
};

/** Gates that could serve the order: of the previous gates the recorded ones, of others those with its currency. */
const ableOf = (
  order: PastOrder,
  { gates: wanted, had }: Pick<RoutingRulesAgain, 'gates' | 'had'>,
  today: CurrentGates,
): readonly GateAlias[] => {
  const then = order.recordedGates;
  if (wanted === undefined) return then;
  return wanted.filter((gate) => then.includes(gate) || (!had.includes(gate) && today.serves(gate, order.amount.currency)));
};

export const routeAgain = (order: PastOrder, { rules, ...among }: RoutingRulesAgain, today: CurrentGates): RoutedAgain | undefined => {
  const [first, ...others] = ableOf(order, among, today);
  if (first === undefined) return undefined;
  const able: NonEmpty<GateAlias> = [first, ...others];
  const facts = factsOf(
    order,
    rules.some(({ when }) => when.countries !== undefined),
  );
  const held = heldRule(rules, { facts, able });
  const { route } = order.plan;
  const candidates = gatesOf(held.choice).filter((gate) => able.includes(gate));
  const draws = new Map((route?.draws ?? []).map(({ gate, draw }) => [gate, draw]));
  const isSplit = held.choice.kind === 'split';
  const undrawn = isSplit ? candidates.filter((gate) => !draws.has(gate)) : [];
  for (const gate of undrawn) draws.set(gate, drawnAnew(order.orderId, gate));
  const commissions = new Map((route?.commissions ?? []).map(({ gate, commissionMinor }) => [gate, commissionMinor]));
  if (held.choice.kind === 'least-commission') {
    for (const gate of candidates) if (!commissions.has(gate)) commissions.set(gate, priceOf(today, gate, order.amount.minor));
  }
  const chosen = routeBy(held, { facts, able, draws, commissions, away: new Set(route?.leftOut) });
  return { gates: chosen.gates, rule: chosen.rule, isDrawnAnew: undrawn.length > 0 && candidates.length > 1 };
};

const priceOf = (today: CurrentGates, gate: GateAlias, minor: bigint): bigint => {
  const rate = today.commission(gate);
  if (rate === undefined) throw new Error(`the configuration has no gate ${gate}`);
  return commissionOf(minor, rate);
};

interface RuleSet {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

/** Inputs available from the log. The payer's country and address are sealed, and only six card digits are stored. */
interface KnownInputs {
  readonly amounts: readonly Money[];
  readonly bin: string;
  readonly issuerCountry: string | undefined;
  /** Earlier orders of the card within the limit's time: certainly accepted by these rules, or possibly. */
  readonly cardCount: { readonly sure: number; readonly possible: number };
  /** Orders of the entry point within the limit's time that may newly count for an address, and those that no longer do. */
  readonly addressCounts: { readonly added: number; readonly removed: number };
}

/** The recorded decision and its rules; absent if nothing was screened. */
interface RecordedScreening {
  readonly screened: OrderScreened['data'];
  readonly rules: ConfiguredRules | undefined;
}

export type ScreenedAgain =
  | { readonly kind: 'passes' }
  | { readonly kind: 'broken'; readonly rule: ScreeningRule; readonly doubtful: readonly ScreeningRule[] }
  /** The decision depends on data that the log lacks. */
  | { readonly kind: 'cannot-know'; readonly doubtful: readonly ScreeningRule[] };

type Judgement = 'passes' | 'broken' | 'cannot-know';

/** True if the rule was evaluated and passed: rules before the broken one, or all. */
const hasPassed = (rule: ScreeningRule, { screened }: RecordedScreening): boolean =>
  screened.brokenRule === undefined || SCREENING_RULES.indexOf(screened.brokenRule) > SCREENING_RULES.indexOf(rule);

/** A list of blocked values, when the order's own value is not stored. The recorded decision only helps if one list contains the other. */
const byList = (
  rule: ScreeningRule,
  blocked: readonly string[],
  recorded: RecordedScreening | undefined,
  listOf: (rules: ConfiguredRules) => readonly string[],
): Judgement => {
  if (blocked.length === 0) return 'passes';
  if (recorded?.rules === undefined) return 'cannot-know';
  const then = listOf(recorded.rules);
  if (recorded.screened.brokenRule === rule) {
    const now = new Set(blocked);
    return then.length > 0 && then.every((text) => now.has(text)) ? 'broken' : 'cannot-know';
  }
  if (!hasPassed(rule, recorded)) return 'cannot-know';
  const before = new Set(then);
  return blocked.every((text) => before.has(text)) ? 'passes' : 'cannot-know';
};

const byCardCount = ({ count }: ConfiguredRules['perCard'], { sure, possible }: KnownInputs['cardCount']): Judgement => {
  if (count === 0 || possible < count) return 'passes';
  return sure >= count ? 'broken' : 'cannot-know';
};

/** Addresses are sealed, so an address's orders cannot be recounted. The recorded count is decisive only if the changed orders, each possibly of this address, cannot alter the result. */
const byAddressCount = (
  { count, hours }: ConfiguredRules['perIp'],
  { added, removed }: KnownInputs['addressCounts'],
  recorded: RecordedScreening | undefined,
): Judgement => {
  if (count === 0) return 'passes';
  const then = recorded?.rules?.perIp;
  const counted = recorded?.screened.ipCount;
  if (then === undefined || counted === undefined || then.hours !== hours) return 'cannot-know';
  if (counted - removed >= count) return 'broken';
  return counted < then.count && counted + added < count ? 'passes' : 'cannot-know';
};

/** Ranges with more digits than are stored, whose first six match the card. */
const longerRanges = (blocked: readonly string[], bin: string): readonly string[] =>
  blocked.filter((prefix) => prefix.length > bin.length && prefix.startsWith(bin));

/** Every range that may contain the card, judging by the stored digits. */
const possibleRanges = (blocked: readonly string[], bin: string): readonly string[] =>
  blocked.filter((prefix) => prefix.startsWith(bin) || bin.startsWith(prefix));

/** Screens an order again by other rules. Pure; the original rules with complete data give the original result. */
export const screenAgain = (
  { configured, prepared }: RuleSet,
  { amounts, bin, issuerCountry, cardCount, addressCounts }: KnownInputs,
  recorded: RecordedScreening | undefined,
): ScreenedAgain => {
  const known = { amounts, leadingDigits: bin, customerCountry: undefined, issuerCountry, ip: undefined, cardCount: 0, ipCount: 0 };
  const judged: readonly (readonly [ScreeningRule, Judgement])[] = [
    [
      'blocked-bin',
      byList('blocked-bin', longerRanges(configured.blockedBins, bin), recorded, (rules) => possibleRanges(rules.blockedBins, bin)),
    ],
    ['blocked-country', byList('blocked-country', configured.blockedCountries, recorded, (rules) => rules.blockedCountries)],
    ['blocked-ip', byList('blocked-ip', configured.blockedIps, recorded, (rules) => rules.blockedIps)],
    ['per-card', byCardCount(configured.perCard, cardCount)],
    ['per-ip', byAddressCount(configured.perIp, addressCounts, recorded)],
  ];
  const broken = [screen(prepared, known), ...judged.filter(([, judgement]) => judgement === 'broken').map(([rule]) => rule)];
  const first = SCREENING_RULES.find((rule) => broken.includes(rule));
  const doubtful = judged.filter(([, judgement]) => judgement === 'cannot-know').map(([rule]) => rule);
  // A certainly broken rule stops the order, even if others are doubtful.
  if (first !== undefined) return { kind: 'broken', rule: first, doubtful };
  return doubtful.length === 0 ? { kind: 'passes' } : { kind: 'cannot-know', doubtful };
};

/** New rules of an entry point; an absent section keeps the value that each order had. */
export interface EndpointRules {
  readonly gates: WhatIfEndpoint['gates'];
  /** With the version under which the same rules would be recorded. */
  readonly screening: (RuleSet & { readonly version: string }) | 'none' | undefined;
  readonly routing: { readonly version: string; readonly rules: readonly RoutingRule[] } | 'none' | undefined;
}

const screeningOf = ({ screening }: WhatIfEndpoint): EndpointRules['screening'] => {
  if (screening === undefined || screening === 'none') return screening;
  const named = namedRules(screening);
  return named === undefined ? 'none' : { ...named, prepared: preparedRules(named.configured) };
};

const routingOf = ({ routing }: WhatIfEndpoint): EndpointRules['routing'] =>
  routing === undefined || routing === 'none' ? routing : namedRouting(routing);

/** Rules of an order's entry point; undefined if they are unchanged. */
export class RulesByEndpoint {
  readonly #rules = new Map<string, EndpointRules>();

  constructor(rules: WhatIfRules) {
    for (const entry of rules) {
      const found = { gates: entry.gates, screening: screeningOf(entry), routing: routingOf(entry) };
      this.#rules.set(nameOf(entry.merchant, entry.endpoint), found);
    }
  }

  of(merchant: MerchantLogin, endpoint: EndpointId): EndpointRules | undefined {
    return this.#rules.get(nameOf(merchant, endpoint));
  }
}

const nameOf = (merchant: MerchantLogin, endpoint: EndpointId): string => `${merchant} ${endpoint}`;

export const gatesOfToday = ({ gates, merchant }: Pick<Accounts, 'gates' | 'merchant'>): CurrentGates => {
  const byAlias = new Map(gates.map((gate) => [gate.alias, gate]));
  return {
    serves: (alias, currency) => [...(byAlias.get(alias)?.currencies ?? [])].some((one) => one === currency),
    commission: (alias) => byAlias.get(alias)?.commission,
    gatesOf: (login, endpoint) => merchant(login)?.endpoints.find(({ id }) => id === endpoint)?.gates,
  };
};
