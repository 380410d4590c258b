import type { GateAlias, Instant, NonEmpty } from '@app/kernel';
import { usd } from '@app/testing';
import fc from 'fast-check';
import { chooseRoute, DRAWS, type RouteInputs } from './choose-route';
import type { RoutingChoice, RoutingRule } from './routing-rules';

const [A, B, C, D] = ['gate-a', 'gate-b', 'gate-c', 'gate-d'] as [GateAlias, GateAlias, GateAlias, GateAlias];
const ALL: NonEmpty<GateAlias> = [A, B, C, D];

const inputsOf = (changes: Partial<RouteInputs> = {}): RouteInputs => ({
  facts: { bin: '444433', country: 'USA', brand: 'VISA', amount: usd(1_000n), at: 0 as Instant },
  able: ALL,
  draws: new Map(),
  commissions: new Map(),
  away: new Set(),
  ...changes,
});

const cascade = (...gates: NonEmpty<GateAlias>): RoutingChoice => ({ kind: 'cascade', gates });
const split = (...shares: NonEmpty<readonly [GateAlias, number]>): RoutingChoice => {
  const [first, ...others] = shares.map(([gate, weight]) => ({ gate, weight }));
  if (first === undefined) throw new Error('no share');
  return { kind: 'split', shares: [first, ...others], stickyByCustomer: false };
};
const cheapest = (...gates: NonEmpty<GateAlias>): RoutingChoice => ({ kind: 'least-commission', gates });
const rule = (name: string, choice: RoutingChoice, when: RoutingRule['when'] = {}): RoutingRule => ({ name, when, choice });

const anyGates = fc.uniqueArray(fc.constantFrom(...ALL), { minLength: 1 }) as unknown as fc.Arbitrary<NonEmpty<GateAlias>>;
const anyChoice: fc.Arbitrary<RoutingChoice> = anyGates.chain((gates) =>
  fc.oneof(
    fc.constant(cascade(...gates)),
    fc.constant(cheapest(...gates)),
    fc
      .array(fc.integer({ min: 1, max: 10_000 }), { minLength: gates.length, maxLength: gates.length })
      .map((weights) =>
        split(...(gates.map((gate, index) => [gate, weights[index] ?? 1]) as unknown as NonEmpty<readonly [GateAlias, number]>)),
      ),
  ),
);
const anyWhen: fc.Arbitrary<RoutingRule['when']> = fc.constantFrom({}, { brands: ['MIR'] }, { amountToMinor: 999n }, { bins: ['444433'] });
const anyRules = fc.array(fc.record({ name: fc.constantFrom('one', 'two', 'three'), when: anyWhen, choice: anyChoice }), { maxLength: 5 });
const anyDraws = fc
  .array(fc.nat({ max: DRAWS - 1 }), { minLength: 4, maxLength: 4 })
  .map((draws) => new Map(ALL.map((gate, index) => [gate, draws[index] ?? 0])));
const anyInputs: fc.Arbitrary<RouteInputs> = fc
  .record({ able: anyGates, draws: anyDraws, away: fc.uniqueArray(fc.constantFrom(...ALL)).map((gates) => new Set(gates)) })
  .chain((some) =>
    fc
      .array(fc.bigInt({ min: 0n, max: 100n }), { minLength: 4, maxLength: 4 })
      .map((sums) => inputsOf({ ...some, commissions: new Map(ALL.map((gate, index) => [gate, sums[index] ?? 0n])) })),
  );

describe('chooseRoute', () => {
  it('returns the cascade of the entry point without rules', () => {
    expect(chooseRoute([], inputsOf())).toStrictEqual({ rule: 'default', gates: ALL, leftOut: [], why: [] });
  });

  it('returns the route of the first matching rule and the failed conditions of earlier rules', () => {
    const rules = [
      rule('mir', cascade(D), { brands: ['MIR'] }),
      rule('small', cascade(C), { amountToMinor: 999n, countries: ['DEU'] }),
      rule('visa', cascade(B, A), { brands: ['VISA'] }),
      rule('rest', cascade(A)),
    ];
    expect(chooseRoute(rules, inputsOf())).toStrictEqual({
      rule: 'visa',
      gates: [B, A],
      leftOut: [],
      why: [
        { rule: 'mir', failed: ['brand'] },
        { rule: 'small', failed: ['country', 'amount'] },
      ],
    });
  });

  it('skips a rule whose gates cannot serve the order and drops single gates that cannot', () => {
    const rules = [rule('first', cascade(A, B)), rule('second', cascade(B, C))];
    const route = chooseRoute(rules, inputsOf({ able: [C, D] }));
    expect(route).toStrictEqual({ rule: 'second', gates: [C], leftOut: [], why: [{ rule: 'first', failed: ['gates'] }] });
  });

  it('orders by ascending commission, and equal commissions by the order in the rule', () => {
    const commissions = new Map([
      [A, 30n],
      [B, 10n],
      [C, 30n],
      [D, 9n],
    ]);
    expect(chooseRoute([rule('cheap', cheapest(C, B, A, D))], inputsOf({ commissions })).gates).toStrictEqual([D, B, C, A]);
  });

  it('throws if a commission is missing', () => {
    expect(() => chooseRoute([rule('cheap', cheapest(A, B))], inputsOf())).toThrow('lacks the commission');
  });

  it('starts with the drawn gate, then continues by descending weight', () => {
    const shares = split([A, 1], [B, 7], [C, 2]);
    const draws = new Map([
      [A, DRAWS - 1],
      [B, 1],
      [C, 1],
    ]);
    expect(chooseRoute([rule('split', shares)], inputsOf({ draws })).gates).toStrictEqual([A, B, C]);
  });

  it('orders by weight if there are no draws', () => {
    expect(chooseRoute([rule('split', split([A, 1], [B, 7], [C, 2]))], inputsOf()).gates).toStrictEqual([B, C, A]);
  });

  it('omits and reports an unavailable gate if another one remains', () => {
    const away = new Set([A, D]);
    expect(chooseRoute([], inputsOf({ away }))).toMatchObject({ gates: [B, C], leftOut: [A, D] });
    expect(chooseRoute([rule('one', cascade(D))], inputsOf({ away }))).toMatchObject({ rule: 'one', gates: [D], leftOut: [] });
    expect(chooseRoute([rule('two', cascade(D, A))], inputsOf({ away }))).toMatchObject({ gates: [D, A], leftOut: [] });
  });

  it('never returns an empty route, a repeated gate or a gate that cannot serve the order', () => {
    fc.assert(
      fc.property(anyRules, anyInputs, (rules, inputs) => {
        const { gates, leftOut } = chooseRoute(rules, inputs);
        const all = [...gates, ...leftOut];
        expect(gates.length).toBeGreaterThan(0);
        expect(new Set(all).size).toBe(all.length);
        for (const gate of all) expect(inputs.able).toContain(gate);
        for (const gate of leftOut) expect(inputs.away).toContain(gate);
        if (gates.some((gate) => inputs.away.has(gate))) expect(leftOut).toStrictEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns the same route for the same inputs', () => {
    fc.assert(
      fc.property(anyRules, anyInputs, (rules, inputs) => {
        expect(chooseRoute(rules, inputs)).toStrictEqual(chooseRoute(rules, inputs));
      }),
    );
  });

  it('keeps a customer at the drawn gate if another gate is removed', () => {
    fc.assert(
      fc.property(anyDraws, fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 4 }), (draws, weights) => {
        const shares = ALL.map((gate, index) => [gate, weights[index] ?? 1] as const);
        const among = (gates: readonly (readonly [GateAlias, number])[]) =>
          chooseRoute([rule('split', split(...(gates as NonEmpty<readonly [GateAlias, number]>)))], inputsOf({ draws })).gates[0];
        const drawn = among(shares);
        for (const gone of ALL.filter((gate) => gate !== drawn)) expect(among(shares.filter(([gate]) => gate !== gone))).toBe(drawn);
      }),
    );
  });

  it('keeps the weights over many draws, also among the remaining gates', () => {
    const next = lehmer(42);
    const counts = new Map<GateAlias, number>();
    const rules = [rule('split', split([A, 70], [B, 20], [C, 10], [D, 100]))];
    const rounds = 20_000;
    for (let round = 0; round < rounds; round++) {
      const draws = new Map(ALL.map((gate) => [gate, Math.floor(next() * DRAWS)]));
      const [first] = chooseRoute(rules, inputsOf({ draws, away: new Set([D]) })).gates;
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    expect((counts.get(A) ?? 0) / rounds).toBeCloseTo(0.7, 1);
    expect((counts.get(B) ?? 0) / rounds).toBeCloseTo(0.2, 1);
    expect((counts.get(C) ?? 0) / rounds).toBeCloseTo(0.1, 1);
    expect(counts.get(D)).toBeUndefined();
  });
});

/** Lehmer's multiplicative generator with the modulus 2^31 - 1: the same draws in every run. */
const lehmer = (seed: number) => (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
