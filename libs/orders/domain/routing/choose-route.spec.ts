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

describe('the route of an order', () => {
  it('is the entry point’s own cascade where it has no rules', () => {
    expect(chooseRoute([], inputsOf())).toStrictEqual({ rule: 'default', gates: ALL, leftOut: [], why: [] });
  });

  it('is that of the first rule that holds, and says why those above it did not', () => {
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

  it('passes over a rule of which no gate can serve the order, and drops single gates that cannot', () => {
    const rules = [rule('first', cascade(A, B)), rule('second', cascade(B, C))];
    const route = chooseRoute(rules, inputsOf({ able: [C, D] }));
    expect(route).toStrictEqual({ rule: 'second', gates: [C], leftOut: [], why: [{ rule: 'first', failed: ['gates'] }] });
  });

  it('goes by ascending commission, gates that are equal in the order in which they are written', () => {
    const commissions = new Map([
      [A, 30n],
      [B, 10n],
      [C, 30n],
      [D, 9n],
    ]);
    expect(chooseRoute([rule('cheap', cheapest(C, B, A, D))], inputsOf({ commissions })).gates).toStrictEqual([D, B, C, A]);
  });

  it('refuses to guess a commission', () => {
    expect(() => chooseRoute([rule('cheap', cheapest(A, B))], inputsOf())).toThrow('lacks the commission');
  });

  it('tries the gate that was drawn first, then the others, the heavier first', () => {
    const shares = split([A, 1], [B, 7], [C, 2]);
    const draws = new Map([
      [A, DRAWS - 1],
      [B, 1],
      [C, 1],
    ]);
    expect(chooseRoute([rule('split', shares)], inputsOf({ draws })).gates).toStrictEqual([A, B, C]);
  });

  it('goes by weight alone where nothing is drawn', () => {
    expect(chooseRoute([rule('split', split([A, 1], [B, 7], [C, 2]))], inputsOf()).gates).toStrictEqual([B, C, A]);
  });

  it('leaves out a gate that is away where another one remains, and names it', () => {
    const away = new Set([A, D]);
    expect(chooseRoute([], inputsOf({ away }))).toMatchObject({ gates: [B, C], leftOut: [A, D] });
    expect(chooseRoute([rule('one', cascade(D))], inputsOf({ away }))).toMatchObject({ rule: 'one', gates: [D], leftOut: [] });
    expect(chooseRoute([rule('two', cascade(D, A))], inputsOf({ away }))).toMatchObject({ gates: [D, A], leftOut: [] });
  });

  it('is never empty, names no gate twice, and only gates that the rule has and that can serve the order', () => {
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

  it('is the same for the same inputs', () => {
    fc.assert(
      fc.property(anyRules, anyInputs, (rules, inputs) => {
        expect(chooseRoute(rules, inputs)).toStrictEqual(chooseRoute(rules, inputs));
      }),
    );
  });

  it('keeps a customer at the gate that was drawn when another gate goes', () => {
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

  it('keeps the weights over many draws, also among those that remain', () => {
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
