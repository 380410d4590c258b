import type { GateAlias, MerchantLogin, NonEmpty } from '@app/kernel';
import type { Gate } from '@app/gateway-adapters/contract';
import type { Accounts } from '@app/configuration';
import { ACCEPTED_AT, sampleGate, samplePlan, seededRandom, servedOffer, usd, VirtualClock } from '@app/testing';
import { chooseRoute, type Offer, type RoutingChoice, type RoutingRule } from '../../domain';
import { RouteOrder, type RoutedRequest } from './route-order';

const [A, B, C] = ['sim-a', 'sim-b', 'sim-c'] as [GateAlias, GateAlias, GateAlias];
const GATES = [sampleGate({ alias: A }), sampleGate({ alias: B }), sampleGate({ alias: C })] as const;
const VERSION = 'routing0of0the0sample';
const MINIMUMS: Readonly<Record<string, number>> = { [A]: 300, [B]: 100, [C]: 200 };

const NONE: ReadonlySet<GateAlias> = new Set();

const setUp = (open = NONE, refused = NONE, held: readonly string[] = []) => {
  const asked: (readonly string[])[] = [];
  const digests = {
    onceKey: (kind: string, parts: readonly string[]) => {
      asked.push([kind, ...parts]);
      return (parts.includes('ann@example.com') ? { [A]: '00000000', [B]: 'ffffffff', [C]: '80000000' } : {})[parts[2] ?? ''] ?? '40000000';
    },
  };
  const accounts = {
    gate: (alias: GateAlias) => ({ commission: { ratePerTenThousand: 0, minCentis: MINIMUMS[alias] ?? 0 } }),
  } as unknown as Accounts;
  const gates = {
    find: (alias: GateAlias): Gate | undefined =>
      alias === B ? ({ bins: { binFacts: (bin: string) => (bin === '444433' ? { country: 'USA' } : undefined) } } as Gate) : undefined,
  };
  const circuits = { isOpen: (gate: GateAlias) => open.has(gate), admits: (gate: GateAlias) => !refused.has(gate) };
  const switches = { isHeld: (kind: string, id: string) => held.includes(`${kind} ${id}`) };
  const routes = new RouteOrder({ accounts, gates, digests, random: seededRandom(3), circuits, switches, clock: new VirtualClock() });
  const request = (changes: Partial<RoutedRequest> = {}): RoutedRequest => ({
    merchant: 'acme' as MerchantLogin,
    amount: usd(1_000n),
    card: { bin: '444433', brand: 'VISA' },
    customer: () => undefined,
    ...changes,
  });
  return { routes, request, asked };
};

const offerBy = (...rules: readonly RoutingRule[]): Offer =>
  servedOffer({ plan: samplePlan({ gates: GATES }), routing: { version: VERSION, rules } });
const rule = (choice: RoutingChoice, when: RoutingRule['when'] = {}): RoutingRule => ({ name: 'one', when, choice });
const split = (stickyByCustomer: boolean): RoutingChoice => ({
  kind: 'split',
  shares: [A, B, C].map((gate) => ({ gate, weight: 1 })) as unknown as NonEmpty<{ gate: GateAlias; weight: number }>,
  stickyByCustomer,
});
const planOf = (offer: Offer) => {
  if (offer.kind === 'refused') throw new Error(offer.reason);
  const { gates, route } = offer.plan;
  return { gates: gates.map(({ alias }) => alias), route };
};

describe('RouteOrder', () => {
  it('returns an offer without rules and a refused offer unchanged and synchronously', () => {
    const { routes, request } = setUp();
    for (const offer of [servedOffer(), { kind: 'refused', reason: 'cvv-required' } as const])
      expect(routes.route(offer, request())).toBe(offer);
  });

  it('orders the gates by the matching rule and records the inputs', async () => {
    const { routes, request } = setUp();
    const offer = offerBy(rule({ kind: 'cascade', gates: [C, A] }, { countries: ['USA'], bins: ['444433'], brands: ['VISA'] }));
    const routed = await routes.route(offer, request());
    expect(planOf(routed)).toStrictEqual({
      gates: [C, A],
      route: {
        rulesVersion: VERSION,
        rule: 'one',
        bin: '444433',
        brand: 'VISA',
        country: 'USA',
        able: [A, B, C],
        chosenAt: ACCEPTED_AT,
      },
    });
    expect(routed).toMatchObject({ plan: { gates: [GATES[2], GATES[0]] }, routing: { version: VERSION } });
  });

  it('records the choice even if no rule matches', async () => {
    const { routes, request } = setUp();
    const { gates, route } = planOf(await routes.route(offerBy(rule({ kind: 'cascade', gates: [C] }, { brands: ['MIR'] })), request()));
    expect(gates).toStrictEqual([A, B, C]);
    expect(route).toMatchObject({ rule: 'default' });
  });

  it('records no BIN or country if the card is named later', async () => {
    const { routes, request } = setUp();
    const { card: _card, ...withoutCard } = request();
    const offer = offerBy(rule({ kind: 'cascade', gates: [C] }, { bins: ['000000-999999'] }));
    const { route } = planOf(await routes.route(offer, withoutCard));
    expect(route).toStrictEqual({ rulesVersion: VERSION, rule: 'default', able: [A, B, C], chosenAt: ACCEPTED_AT });
  });

  it('orders the gates by commission for the amount and records the commissions', async () => {
    const { routes, request } = setUp();
    const { gates, route } = planOf(await routes.route(offerBy(rule({ kind: 'least-commission', gates: [A, B, C] })), request()));
    expect(gates).toStrictEqual([B, C, A]);
    expect(route?.commissions).toStrictEqual([
      { gate: A, commissionMinor: 300n },
      { gate: B, commissionMinor: 100n },
      { gate: C, commissionMinor: 200n },
    ]);
  });

  it('draws a sticky split by a keyed digest of the customer and records neither address nor digest', async () => {
    const { routes, request, asked } = setUp();
    const routed = planOf(
      await routes.route(offerBy(rule(split(true))), request({ customer: () => Promise.resolve(' Ann@Example.COM ') })),
    );
    expect(routed.gates[0]).toBe(B);
    expect(routed.route).toMatchObject({
      drawnBy: 'customer',
      draws: [
        { gate: A, draw: 0 },
        { gate: B, draw: 0xffff_ffff },
        { gate: C, draw: 0x8000_0000 },
      ],
    });
    expect(asked).toStrictEqual([A, B, C].map((gate) => ['routing', 'acme', 'ann@example.com', gate]));
    expect(JSON.stringify(routed)).not.toMatch(/ann/i);
  });

  it.each([
    ['a split that is not sticky', false, 'ann@example.com'],
    ['a customer without an address', true, undefined],
    ['an empty address', true, ' '],
  ])('draws at random for %s', async (_, isSticky, address) => {
    const { routes, request, asked } = setUp();
    const first = new Set<string | undefined>();
    for (let order = 0; order < 50; order++) {
      const { gates, route } = planOf(await routes.route(offerBy(rule(split(isSticky))), request({ customer: () => address })));
      expect(route?.drawnBy).toBe('chance');
      first.add(gates[0]);
    }
    expect(first).toStrictEqual(new Set([A, B, C]));
    expect(asked).toStrictEqual([]);
  });

  it('reads the customer only for a sticky split', async () => {
    const { routes, request } = setUp();
    const customer = jest.fn(() => 'ann@example.com');
    await routes.route(offerBy(rule(split(false))), request({ customer }));
    await routes.route(offerBy(rule({ kind: 'cascade', gates: [A] })), request({ customer }));
    expect(customer).not.toHaveBeenCalled();
  });

  it('omits a gate with an open circuit, even without rules, and records it', async () => {
    const { routes, request } = setUp(new Set([A]));
    const cascade = servedOffer({ plan: samplePlan({ gates: GATES }) });
    expect(planOf(await routes.route(cascade, request()))).toStrictEqual({
      gates: [B, C],
      route: { rule: 'default', able: [A, B, C], leftOut: [A], chosenAt: ACCEPTED_AT },
    });
    const ruled = planOf(await routes.route(offerBy(rule({ kind: 'cascade', gates: [C, A] })), request()));
    expect(ruled).toMatchObject({ gates: [C], route: { rule: 'one', leftOut: [A] } });
  });

  it('keeps the route if no gate would remain, and keeps an offer with one gate', () => {
    const { routes, request } = setUp(new Set([A, B, C]), new Set([A, B, C]));
    const cascade = servedOffer({ plan: samplePlan({ gates: GATES }) });
    const alone = servedOffer();
    expect(routes.route(cascade, request())).toBe(cascade);
    expect(routes.route(alone, request())).toBe(alone);
  });

  it('starts at a half-open gate only with a probe order, but keeps such a gate in a later place', () => {
    const cascade = servedOffer({ plan: samplePlan({ gates: GATES }) });
    const first = setUp(NONE, new Set([A]));
    expect(planOf(first.routes.route(cascade, first.request()) as Offer)).toMatchObject({ gates: [B, C], route: { leftOut: [A] } });
    const second = setUp(NONE, new Set([B]));
    expect(second.routes.route(cascade, second.request())).toBe(cascade);
    const both = setUp(new Set([A]), new Set([B]));
    expect(planOf(both.routes.route(cascade, both.request()) as Offer)).toMatchObject({ gates: [C], route: { leftOut: [A, B] } });
  });

  it('leaves out a held gate, asks its circuit for no probe, and records the hold apart from open circuits', async () => {
    const cascade = servedOffer({ plan: samplePlan({ gates: GATES }) });
    const { routes, request } = setUp(new Set([C]), NONE, [`gate ${A}`]);
    expect(planOf(routes.route(cascade, request()) as Offer)).toStrictEqual({
      gates: [B],
      route: { rule: 'default', able: [B, C], leftOut: [C], heldGates: [A], chosenAt: ACCEPTED_AT },
    });
    const alone = setUp(NONE, NONE, [`gate ${A}`, `gate ${B}`]);
    expect(planOf(alone.routes.route(cascade, alone.request()) as Offer)).toMatchObject({ gates: [C], route: { heldGates: [A, B] } });
    const ruled = planOf(
      await routes.route(offerBy(rule({ kind: 'cascade', gates: [A] }), rule({ kind: 'cascade', gates: [B] })), request()),
    );
    expect(ruled).toMatchObject({ gates: [B], route: { able: [B, C], heldGates: [A] } });
  });

  it('decides the same way again from the recorded route, without the switches of today', () => {
    const { routes, request } = setUp(NONE, NONE, [`gate ${A}`]);
    const { gates, route } = planOf(routes.route(servedOffer({ plan: samplePlan({ gates: GATES }) }), request()) as Offer);
    if (route === undefined) throw new Error('no route was recorded');
    const [first, ...others] = route.able;
    const inputs = { facts: { amount: usd(1_000n), at: route.chosenAt }, able: [first, ...others] as NonEmpty<GateAlias> };
    const again = chooseRoute([], { ...inputs, draws: new Map(), commissions: new Map(), away: new Set(route.leftOut) });
    expect(again.gates).toStrictEqual(gates);
  });

  it.each([
    ['the entry point', ['endpoint 1001']],
    ['each of its gates', [`gate ${A}`, `gate ${B}`, `gate ${C}`]],
  ])('refuses an order while %s is held', async (_, held) => {
    const { routes, request } = setUp(NONE, NONE, held);
    const refused = { kind: 'refused', reason: 'held' };
    expect(await routes.route(servedOffer({ plan: samplePlan({ gates: GATES }) }), request())).toStrictEqual(refused);
    expect(await routes.route(offerBy(rule({ kind: 'cascade', gates: [C] })), request())).toStrictEqual(refused);
  });
});
