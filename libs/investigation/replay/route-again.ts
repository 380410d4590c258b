import { createHash } from 'node:crypto';
import { commissionOf, present, type CommissionRate, type GateAlias, type NonEmpty } from '@app/kernel';
import { gatesOf, heldRule, routeBy, type RouteFacts, type RoutingRule } from '@app/orders/domain';
import type { PastOrder } from './past-order';

/** What the configuration knows of gates. */
export interface GatesOfToday {
  serves(gate: GateAlias, currency: string): boolean;
  commission(gate: GateAlias): CommissionRate | undefined;
  /** The entry point's gates as its configuration has them; undefined for one that it does not have any more. */
  gatesOf(merchant: string, endpoint: string): readonly GateAlias[] | undefined;
}

export interface RoutedAgain {
  readonly gates: NonEmpty<GateAlias>;
  /** The rule that held. */
  readonly rule: string;
  /** A gate was drawn by a number that this order never had. */
  readonly isDrawnAnew: boolean;
}

/** What an entry point's orders are routed by. */
export interface RoutingRulesAgain {
  /** In place of the gates that the entry point had. */
  readonly gates: NonEmpty<GateAlias> | undefined;
  /** Those that the entry point had when the order was accepted; of these the ones on record could serve it. */
  readonly had: readonly GateAlias[];
  readonly rules: readonly RoutingRule[];
}

/** The same number each time, so that a what-if gives the same answer twice; spread as chance is. */
const drawnAnew = (orderId: string, gate: GateAlias): number =>
  createHash('sha256')
    .update(JSON.stringify([orderId, gate]))
    .digest()
    .readUInt32BE(0);

/** The country is in an event that is read only where a rule asks for it. */
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

/** The gates that could serve the order: of those that the entry point had then the ones on record, of others those that take its currency. */
const ableOf = (
  order: PastOrder,
  { gates: wanted, had }: Pick<RoutingRulesAgain, 'gates' | 'had'>,
  today: GatesOfToday,
): readonly GateAlias[] => {
  const then = order.gatesOnRecord;
  if (wanted === undefined) return then;
  return wanted.filter((gate) => then.includes(gate) || (!had.includes(gate) && today.serves(gate, order.amount.currency)));
};

/** Chooses an order's gates again, by other rules or among other gates; undefined where none of them could serve it. Pure. */
export const routeAgain = (order: PastOrder, { rules, ...among }: RoutingRulesAgain, today: GatesOfToday): RoutedAgain | undefined => {
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

const priceOf = (today: GatesOfToday, gate: GateAlias, minor: bigint): bigint => {
  const rate = today.commission(gate);
  if (rate === undefined) throw new Error(`the configuration has no gate ${gate}`);
  return commissionOf(minor, rate);
};
