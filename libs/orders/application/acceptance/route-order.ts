import {
  commissionOf,
  present,
  type Clock,
  type GateAlias,
  type Instant,
  type MaskedCard,
  type MerchantLogin,
  type Money,
  type NonEmpty,
  type Random,
} from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { Accounts } from '@app/configuration';
import type { Gates } from '@app/gateway-adapters/contract';
import {
  gatesOf,
  heldRule,
  plannedGate,
  routeBy,
  type ChosenRoute,
  type MatchedRule,
  type Offer,
  type Plan,
  type Route,
  type RouteFacts,
  type RouteInputs,
} from '../../domain';
import type { GateCircuits } from '../rules/gate-circuits';
import type { OrderSwitches } from '../rules/order-switches';
import type { NamedRouting } from '../rules/routing-rules-repository';

const DRAW_BYTES = 4;
const HEX_DIGITS_PER_BYTE = 2;
const HEXADECIMAL = 16;

type Served = Extract<Offer, { readonly kind: 'served' }>;

export interface RoutedRequest {
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  /** Absent for a card named after the acceptance. */
  readonly card?: Pick<MaskedCard, 'bin' | 'brand'>;
  /** The payer's e-mail address, read only for a sticky split; undefined if unknown. */
  readonly customer: () => string | undefined | Promise<string | undefined>;
}

export interface RouteOrderPorts {
  readonly accounts: Pick<Accounts, 'gate'>;
  readonly gates: Pick<Gates, 'find'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly circuits: Pick<GateCircuits, 'isOpen' | 'admits'>;
  readonly switches: Pick<OrderSwitches, 'isHeld'>;
  readonly clock: Clock;
}

interface Draws {
  readonly drawnBy: NonNullable<ChosenRoute['drawnBy']>;
  readonly draws: ReadonlyMap<GateAlias, number>;
}

export interface ExplainedRoute extends Pick<RouteInputs, 'facts' | 'commissions'> {
  readonly held: MatchedRule;
  readonly route: Route;
  readonly drawnBy: Draws['drawnBy'] | undefined;
  readonly heldGates: readonly GateAlias[];
}

/** An offer without the gates that operators hold. */
interface OpenOffer {
  readonly offer: Served;
  readonly heldGates: readonly GateAlias[];
}

/** Chooses an order's gates after its card and customer are known and before acceptance. */
export class RouteOrder {
  constructor(private readonly ports: RouteOrderPorts) {}

  /**
   * An offer without rules is returned unchanged, unless a gate is left out.
   * @throws errors of `customer`; StoreUnavailable if the switches were not read yet
   */
  route(offer: Offer, request: RoutedRequest): Offer | Promise<Offer> {
    if (offer.kind === 'refused') return offer;
    const open = this.withoutHeld(offer);
    if (open === undefined) return { kind: 'refused', reason: 'held' };
    const { routing } = open.offer;
    return routing === undefined ? this.withoutRules(open, request) : this.byRules(open, routing, request);
  }

  /**
   * For an operator: nothing is drawn by chance, and the gates of a split are ordered by weight.
   * @param given overrides known facts
   * @returns undefined if the entry point, or each of its gates, is held
   */
  async explain(
    served: Served,
    request: RoutedRequest,
    given: Partial<Pick<RouteFacts, 'at' | 'country'>>,
  ): Promise<ExplainedRoute | undefined> {
    const open = this.withoutHeld(served);
    if (open === undefined) return undefined;
    const { offer, heldGates } = open;
    const able = ableOf(offer.plan);
    const facts = { ...this.factsOf(able, request), ...given };
    const held = heldRule(offer.routing?.rules ?? [], { facts, able });
    const drawn = await this.drawsOf(held, able, request);
    const draws = drawn?.drawnBy === 'customer' ? drawn.draws : new Map<GateAlias, number>();
    const away = new Set(able.filter((gate) => this.ports.circuits.isOpen(gate)));
    const inputs = { ...this.inputsOf(held, facts, able, draws), away };
    return { facts, held, route: routeBy(held, inputs), drawnBy: drawn?.drawnBy, commissions: inputs.commissions, heldGates };
  }

  private withoutHeld(offer: Served): OpenOffer | undefined {
    const { switches } = this.ports;
    if (switches.isHeld('endpoint', offer.endpointId)) return undefined;
    const heldGates = ableOf(offer.plan).filter((gate) => switches.isHeld('gate', gate));
    if (heldGates.length === 0) return { offer, heldGates };
    const [first, ...others] = offer.plan.gates.filter(({ alias }) => !heldGates.includes(alias));
    return first && { offer: { ...offer, plan: { ...offer.plan, gates: [first, ...others] } }, heldGates };
  }

  /** If all gates are away, the offer itself. */
  private withoutRules({ offer, heldGates }: OpenOffer, { amount }: RoutedRequest): Served {
    const able = ableOf(offer.plan);
    if (heldGates.length === 0 && (able.length === 1 || this.isNoneAway(able))) return offer;
    const facts = { amount, at: this.ports.clock.now() };
    const held = heldRule([], { facts, able });
    const route = this.routeWithProbe(held, this.inputsOf(held, facts, able, new Map()));
    if (route.leftOut.length === 0 && heldGates.length === 0) return offer;
    return routed(offer, route, { rule: route.rule, able, ...leftOutOf(route, heldGates), chosenAt: facts.at });
  }

  private isNoneAway(able: NonEmpty<GateAlias>): boolean {
    const { circuits } = this.ports;
    return !able.some((gate) => circuits.isOpen(gate)) && circuits.admits(able[0]);
  }

  /** Leaves out a gate with an open circuit. A half-open one may follow others, and is first only for its probe order. */
  private routeWithProbe(held: MatchedRule, inputs: RouteInputs): Route {
    const { circuits } = this.ports;
    const candidates = gatesOf(held.choice).filter((gate) => inputs.able.includes(gate));
    const away = new Set(candidates.length > 1 ? candidates.filter((gate) => circuits.isOpen(gate)) : []);
    let route = routeBy(held, { ...inputs, away });
    while (candidates.length > 1 && !away.has(route.gates[0]) && !circuits.admits(route.gates[0])) {
      away.add(route.gates[0]);
      route = routeBy(held, { ...inputs, away });
    }
    return route;
  }

  private async byRules({ offer, heldGates }: OpenOffer, { version, rules }: NamedRouting, request: RoutedRequest): Promise<Served> {
    const able = ableOf(offer.plan);
    const facts = this.factsOf(able, request);
    const held = heldRule(rules, { facts, able });
    const drawn = await this.drawsOf(held, able, request);
    const inputs = this.inputsOf(held, facts, able, drawn?.draws ?? new Map());
    const route = this.routeWithProbe(held, inputs);
    const { commissions } = inputs;
    return routed(
      offer,
      route,
      present({
        rulesVersion: version,
        rule: route.rule,
        bin: facts.bin,
        brand: facts.brand,
        country: facts.country,
        able,
        drawnBy: drawn?.drawnBy,
        draws: drawn && [...drawn.draws].map(([gate, draw]) => ({ gate, draw })),
        commissions: commissions.size > 0 ? [...commissions].map(([gate, commissionMinor]) => ({ gate, commissionMinor })) : undefined,
        ...leftOutOf(route, heldGates),
        chosenAt: facts.at,
      }),
    );
  }

  private factsOf(able: NonEmpty<GateAlias>, { amount, card }: RoutedRequest): RouteFacts {
    const at: Instant = this.ports.clock.now();
    if (card === undefined) return { amount, at };
    return present({ amount, at, bin: card.bin, brand: card.brand, country: this.countryOf(able, card.bin) });
  }

  private countryOf(able: NonEmpty<GateAlias>, bin: string): string | undefined {
    for (const alias of able) {
      const country = this.ports.gates.find(alias)?.bins?.binFacts(bin)?.country;
      if (country !== undefined) return country;
    }
    return undefined;
  }

  private inputsOf({ choice }: MatchedRule, facts: RouteFacts, able: NonEmpty<GateAlias>, draws: RouteInputs['draws']): RouteInputs {
    const priced = choice.kind === 'least-commission' ? choice.gates.filter((gate) => able.includes(gate)) : [];
    const { minor } = facts.amount;
    const commissions = new Map(priced.map((gate) => [gate, commissionOf(minor, this.ports.accounts.gate(gate).commission)]));
    return { facts, able, draws, commissions, away: new Set() };
  }

  private async drawsOf(
    { choice }: MatchedRule,
    able: NonEmpty<GateAlias>,
    { merchant, customer }: RoutedRequest,
  ): Promise<Draws | undefined> {
    if (choice.kind !== 'split') return undefined;
    const gates = gatesOf(choice).filter((gate) => able.includes(gate));
    const address = choice.stickyByCustomer ? (await customer())?.trim().toLowerCase() : undefined;
    if (address === undefined || address === '') {
      const bytes = Buffer.from(this.ports.random.bytes(DRAW_BYTES * gates.length));
      return { drawnBy: 'chance', draws: new Map(gates.map((gate, index) => [gate, bytes.readUInt32BE(index * DRAW_BYTES)])) };
    }
    const drawOf = (gate: GateAlias): number => {
      const digest = this.ports.digests.onceKey('routing', [merchant, address, gate]);
      return Number.parseInt(digest.slice(0, DRAW_BYTES * HEX_DIGITS_PER_BYTE), HEXADECIMAL);
    };
    return { drawnBy: 'customer', draws: new Map(gates.map((gate) => [gate, drawOf(gate)])) };
  }
}

const leftOutOf = ({ leftOut }: Route, heldGates: readonly GateAlias[]): Pick<ChosenRoute, 'leftOut' | 'heldGates'> => ({
  ...(leftOut.length > 0 && { leftOut }),
  ...(heldGates.length > 0 && { heldGates }),
});

const routed = (offer: Served, { gates: [first, ...others] }: Route, route: ChosenRoute): Served => {
  const { plan } = offer;
  const gates: Plan['gates'] = [plannedGate({ plan }, first), ...others.map((gate) => plannedGate({ plan }, gate))];
  return { ...offer, plan: { ...plan, gates, route } };
};

const ableOf = ({ gates: [first, ...others] }: Pick<Plan, 'gates'>): NonEmpty<GateAlias> => [
  first.alias,
  ...others.map(({ alias }) => alias),
];
