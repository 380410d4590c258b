import { createHash } from 'node:crypto';
import { whatIfRulesFrom } from '@app/configuration';
import type { StoredEvent, Subscription } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { CardBrand } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import fc from 'fast-check';
import {
  accountsWith,
  DecidedHistory,
  rulesFile,
  TESTED_GATES,
  writeDecided,
  type InquiredOrder,
  type EndpointSections,
  type World,
} from '../testing/decided-history';
import { readOnly } from '../testing/read-only';
import type { DecidedAgain } from './replay-decisions';
import { PastOrder, type PastEnd } from './past-order';
import { whatIf, WhatIfTotals } from './what-if';

const asked = (over: Partial<InquiredOrder> = {}): InquiredOrder => ({
  minor: 1_000n,
  card: 1,
  bin: '444433',
  brand: 'VISA',
  issuerCountry: 'USA',
  customerCountry: 'USA',
  ip: '192.0.2.1',
  lesser: [],
  ...over,
});

const numberOf = (seed: number, ...parts: readonly unknown[]): number =>
  createHash('sha256')
    .update(JSON.stringify([seed, ...parts.map(String)]))
    .digest()
    .readUInt32BE(0);

const ANSWERS = ['approved', 'approved', 'declined', 'declined', 'declined-for-good', 'not-asked', 'unknown'] as const;
const worldOf = (seed: number): World => ({
  answer: (...of) => ANSWERS[numberOf(seed, ...of) % ANSWERS.length] ?? 'approved',
  draw: (number, gate) => numberOf(seed, 'draw', number, gate),
});
const approving: World = { answer: () => 'approved', draw: (number, gate) => numberOf(1, number, gate) };

const pastOf = (events: Parameters<typeof writeDecided>[1]['events']): PastEnd => {
  const [accepted, ...others] = events;
  const order = new PastOrder(accepted as never);
  for (const event of others) order.apply(event as never);
  return order.end;
};

const decidedAgain = async (
  was: EndpointSections,
  sections: object,
  orders: readonly InquiredOrder[],
  world: World,
  changed?: { readonly to: EndpointSections; readonly before: number },
) => {
  const store = new MemoryEventStore(new VirtualClock());
  const history = new DecidedHistory(was, world);
  await history.writeRules(store);
  for (const [number, order] of orders.entries()) {
    if (changed?.before === number) {
      history.goOnBy(changed.to);
      await history.writeRules(store);
    }
    await writeDecided(store, history.decide(number, order));
  }
  const today = accountsWith(changed?.to ?? was);
  const decided = new Map<string, DecidedAgain>();
  const totals = new WhatIfTotals();
  const end = await whatIf({
    log: readOnly(store),
    accounts: today,
    rules: whatIfRulesFrom(rulesFile(sections), 'rules', {}, today),
    onDecided: (one) => {
      totals.add(one);
      decided.set(one.order.clientOrderId, one);
    },
  });
  return { decided: orders.map((_, number) => decided.get(`inv-${number}`)), end, totals };
};

type Item = Subscription extends AsyncIterable<infer InboundResult> ? InboundResult : never;

/** A subscription that omits, repeats or changes items. */
const heardAs = (store: MemoryEventStore, told: (item: Item) => readonly Item[]): Pick<MemoryEventStore, 'subscribe'> => ({
  subscribe: (...given) => {
    const subscription = store.subscribe(...given);
    return {
      cancel: () => subscription.cancel(),
      async *[Symbol.asyncIterator]() {
        for await (const item of subscription) yield* told(item);
      },
    };
  },
});

describe('whatIf', () => {
  const twoGates = { gates: ['sim-a', 'sim-b'] };

  it('refuses orders above an amount limit, and totals the approved amounts that it would stop', async () => {
    const orders = [asked(), asked({ minor: 5_001n }), asked({ minor: 9_000n })];
    const { decided, totals, end } = await decidedAgain(twoGates, { screening: { maxAmount: '50.00' } }, orders, approving);
    expect(decided.map((one) => [one?.class, one?.by, one?.would.kind])).toStrictEqual([
      ['same', undefined, 'approved'],
      ['differs', 'screening max-amount', 'refused'],
      ['differs', 'screening max-amount', 'refused'],
    ]);
    expect(totals.rules()).toStrictEqual([
      {
        by: 'screening max-amount',
        currency: 'USD',
        orders: 2,
        wasMinor: 14_001n,
        wouldMinor: 0n,
        notKnown: 0,
        notKnownWasMinor: 0n,
        notKnownAskedMinor: 0n,
      },
    ]);
    expect(end).toStrictEqual({ orders: 3, notConcerned: 0, unreadable: 0, isIncomplete: false });
  });

  it('refuses orders above a limit per card within its hours', async () => {
    const orders = [asked(), asked(), asked({ card: 2 }), asked(), asked(), asked(), asked(), asked(), asked()];
    // The orders are ten minutes apart.
    const { decided } = await decidedAgain(twoGates, { screening: { perCard: { count: 2, hours: 1 } } }, orders, approving);
    expect(decided.map((one) => one?.by ?? '-')).toStrictEqual([
      '-',
      '-',
      '-',
      'screening per-card',
      'screening per-card',
      'screening per-card',
      '-',
      '-',
      'screening per-card',
    ]);
  });

  describe('with a limit per IP address, which is sealed', () => {
    const perIp = (count: number) => ({ perIp: { count, hours: 1 } });
    const claims = ({ decided }: Awaited<ReturnType<typeof decidedAgain>>) => decided.map((one) => [one?.class, one?.by]);
    const same = ['same', undefined];

    it('reports cannot-know for a count if an order decided differently may have the same address', async () => {
      const was = { ...twoGates, screening: perIp(1) };
      const orders = [asked(), asked({ minor: 9_900n, ip: '203.0.113.9' }), asked({ ip: '203.0.113.9' })];
      const again = await decidedAgain(was, { screening: { maxAmount: '20.00', ...perIp(1) } }, orders, approving);
      expect(claims(again)).toStrictEqual([same, ['differs', 'screening max-amount'], ['cannot-know', 'screening per-ip']]);
      expect(again.decided[2]?.would).toStrictEqual({ kind: 'cannot-know', why: 'text-sealed' });
    });

    it('reports cannot-know for a later order if a lower limit refuses an earlier one', async () => {
      const was = { ...twoGates, screening: perIp(2) };
      const orders = [0, 1, 2, 3, 4, 0, 0].map((host, card) => asked({ card, ip: `192.0.2.${host}` }));
      expect(claims(await decidedAgain(was, { screening: perIp(1) }, orders, approving))).toStrictEqual([
        ...[same, same, same, same, same],
        ['differs', 'screening per-ip'],
        ['cannot-know', 'screening per-ip'],
      ]);
    });

    it('reports cannot-know for an order decided under the same rules if earlier orders had other rules', async () => {
      const to = { ...twoGates, screening: { maxAmount: '20.00', ...perIp(1) } };
      const was = { ...twoGates, screening: perIp(1) };
      const orders = [asked({ minor: 9_900n }), asked()];
      const again = await decidedAgain(was, { screening: to.screening }, orders, approving, { to, before: 1 });
      expect(claims(again)).toStrictEqual([
        ['differs', 'screening max-amount'],
        ['cannot-know', 'screening per-ip'],
      ]);
    });
  });

  it('reports cannot-know for a count per card if an earlier order of the card is in doubt', async () => {
    const to = { ...twoGates, screening: { blockedIps: ['203.0.113.9'], perCard: { count: 1, hours: 1 } } };
    const orders = [asked(), asked(), asked({ card: 2 })];
    const { decided } = await decidedAgain(twoGates, { screening: to.screening }, orders, approving, { to, before: 1 });
    expect(decided.map((one) => [one?.by, one?.would])).toStrictEqual([
      ['screening blocked-ip', { kind: 'cannot-know', why: 'text-sealed' }],
      ['screening per-card', { kind: 'cannot-know', why: 'count-in-doubt' }],
      [undefined, expect.objectContaining({ kind: 'approved' })],
    ]);
  });

  it('reports cannot-know for a gate that the entry point got later', async () => {
    const to = { gates: ['sim-b'] };
    const { decided } = await decidedAgain({ gates: ['sim-a'] }, to, [asked(), asked()], approving, { to, before: 1 });
    expect(decided.map((one) => [one?.class, one?.would])).toStrictEqual([
      ['cannot-know', { kind: 'cannot-know', why: 'gate-never-asked', gate: 'sim-b' }],
      ['same', expect.objectContaining({ kind: 'approved' })],
    ]);
  });

  it('reports cannot-know for an order whose refusing rule is removed, and totals its requested amount', async () => {
    const was = { ...twoGates, screening: { maxAmount: '50.00' } };
    const { decided, totals } = await decidedAgain(was, { screening: 'none' }, [asked(), asked({ minor: 9_000n })], approving);
    expect(decided.map((one) => [one?.class, one?.by, one?.would])).toStrictEqual([
      ['same', undefined, expect.objectContaining({ kind: 'approved' })],
      ['cannot-know', 'screening max-amount', { kind: 'cannot-know', why: 'gate-never-asked', gate: 'sim-a' }],
    ]);
    expect(totals.rules()).toMatchObject([
      { orders: 1, wasMinor: 0n, wouldMinor: 0n, notKnown: 1, notKnownWasMinor: 0n, notKnownAskedMinor: 9_000n },
    ]);
    expect([...totals.notKnown]).toStrictEqual([['gate-never-asked', 1]]);
  });

  it('reports cannot-know for a rule on sealed data, unless the recorded decision implies the result', async () => {
    const blocking = (blockedIps: readonly string[]) => ({ screening: { blockedIps } });
    const was = { ...twoGates, ...blocking(['192.0.2.1', '198.51.100.0/24']) };
    const orders = [asked(), asked({ ip: '203.0.113.9' })];
    const ofClasses = async (sections: object) =>
      (await decidedAgain(was, sections, orders, approving)).decided.map((one) => [one?.class, one?.by]);
    const notKnown = ['cannot-know', 'screening blocked-ip'];
    // The same list in another order; one address more; one less; another.
    expect(await ofClasses(blocking(['198.51.100.0/24', '192.0.2.1']))).toStrictEqual([
      ['same', undefined],
      ['same', undefined],
    ]);
    expect(await ofClasses(blocking(['192.0.2.1', '198.51.100.0/24', '203.0.113.0/24']))).toStrictEqual([['same', undefined], notKnown]);
    expect(await ofClasses(blocking(['198.51.100.0/24']))).toStrictEqual([notKnown, ['same', undefined]]);
    expect(await ofClasses(blocking(['203.0.113.9']))).toStrictEqual([notKnown, notKnown]);
  });

  it('reports cannot-know for a rule on masked card digits', async () => {
    const { decided } = await decidedAgain(
      twoGates,
      { screening: { blockedBins: ['44443312', '55554412'] } },
      [asked(), asked({ bin: '555555' })],
      approving,
    );
    expect(decided.map((one) => [one?.class, one?.would])).toStrictEqual([
      ['cannot-know', { kind: 'cannot-know', why: 'digits-not-shown' }],
      ['same', expect.anything()],
    ]);
  });

  it('uses the recorded answers of other gates, and reports cannot-know for a gate that was never asked', async () => {
    const answers: Readonly<Record<string, 'approved' | 'declined'>> = { 'sim-a': 'declined', 'sim-b': 'approved' };
    const world: World = { ...approving, answer: (_, gate) => answers[gate] ?? 'approved' };
    const through = async (gates: readonly string[]) => (await decidedAgain(twoGates, { gates }, [asked()], world)).decided[0];
    expect(await through(['sim-b', 'sim-a'])).toMatchObject({ class: 'same-outcome', by: 'gates', would: { gate: 'sim-b' } });
    expect(await through(['sim-a'])).toMatchObject({
      class: 'differs',
      by: 'gates',
      would: { kind: 'refused', status: 'declined', code: 100 },
    });
    expect(await through(['sim-c'])).toMatchObject({
      class: 'cannot-know',
      by: 'gates',
      would: { why: 'gate-never-asked', gate: 'sim-c' },
    });
    expect(await through(['sim-a', 'sim-b', 'sim-c'])).toMatchObject({ class: 'same-outcome' });
  });

  it('names the routing rule that changes a decision', async () => {
    const routing = [
      { name: 'small', when: { amountTo: '20.00' }, then: { cascade: ['sim-b'] } },
      { name: 'cheap', then: { leastCommission: ['sim-b', 'sim-a'] } },
    ];
    const { decided } = await decidedAgain(twoGates, { routing }, [asked(), asked({ minor: 100_000n })], approving);
    expect(decided.map((one) => [one?.class, one?.by])).toStrictEqual([
      ['cannot-know', 'routing small'],
      // sim-b has the higher rate, sim-a the higher minimum. For a thousand dollars sim-a is cheaper, so its order stays.
      ['same', undefined],
    ]);
  });

  it('repeats the recorded draws of a split, and draws and counts missing ones reproducibly', async () => {
    const split = (gates: readonly string[]) => [{ name: 'halves', then: { split: gates.map((gate) => ({ gate, weight: 1 })) } }];
    const was = { gates: ['sim-a', 'sim-b', 'sim-c'], routing: split(['sim-a', 'sim-b']) };
    const orders = Array.from({ length: 40 }, () => asked());
    const same = await decidedAgain(was, { routing: split(['sim-a', 'sim-b']) }, orders, approving);
    expect([same.totals.classes.same, same.totals.drawnAnew]).toStrictEqual([40, 0]);
    const fresh = { ...twoGates };
    const [one, other] = [
      await decidedAgain(fresh, { routing: split(['sim-a', 'sim-b']) }, orders, approving),
      await decidedAgain(fresh, { routing: split(['sim-a', 'sim-b']) }, orders, approving),
    ];
    expect(one.decided.map((it) => it?.class)).toStrictEqual(other.decided.map((it) => it?.class));
    expect(one.totals.drawnAnew).toBe(40);
    expect(one.totals.classes['cannot-know']).toBeGreaterThan(5);
    expect(one.totals.classes['cannot-know']).toBeLessThan(35);
  });

  it('counts but does not decide orders of unchanged entry points, and skips other merchants', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    const history = new DecidedHistory(twoGates, approving);
    await writeDecided(store, history.decide(0, asked()));
    const decided: DecidedAgain[] = [];
    const settings = { log: readOnly(store), accounts: accountsWith(twoGates), onDecided: (one: DecidedAgain) => void decided.push(one) };
    await expect(whatIf({ ...settings, rules: [] })).resolves.toMatchObject({ orders: 1, notConcerned: 1 });
    const rules = whatIfRulesFrom(rulesFile({ gates: ['sim-b'] }), 'rules', {}, accountsWith(twoGates));
    await expect(whatIf({ ...settings, rules, merchants: ['other' as never] })).resolves.toMatchObject({ orders: 0 });
    expect(decided).toStrictEqual([]);
    await expect(whatIf({ ...settings, rules })).resolves.toMatchObject({ orders: 1, notConcerned: 0 });
    expect(decided).toHaveLength(1);
  });

  it('counts an order with a missing event as unreadable, and ignores duplicate events', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    const history = new DecidedHistory(twoGates, approving);
    for (const number of [0, 1]) await writeDecided(store, history.decide(number, asked()));
    const isOf = (event: StoredEvent, type: string, revision: bigint): boolean => event.type === type && event.revision === revision;
    let taken = 0;
    const log = heardAs(store, (item) => {
      // The first order lacks its first attempt; each event of the second is duplicated.
      if (item.kind === 'event' && isOf(item.event, 'AttemptStarted', 1n) && taken++ === 0) return [];
      return taken > 1 ? [item, item] : [item];
    });
    const decided: DecidedAgain[] = [];
    const rules = whatIfRulesFrom(rulesFile({ gates: ['sim-a'] }), 'rules', {}, accountsWith(twoGates));
    const end = await whatIf({ log, rules, accounts: accountsWith(twoGates), onDecided: (one) => void decided.push(one) });
    expect(end).toMatchObject({ orders: 2, unreadable: 1 });
    expect(decided.map(({ order, was, would }) => [order.clientOrderId, was.kind, would.kind])).toStrictEqual([
      ['inv-1', 'approved', 'approved'],
    ]);
  });

  it('decides orders that are still open at the end of the log, and skips an unreadable order', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    const world: World = { ...approving, answer: (number) => (number === 0 ? 'unknown' : 'approved') };
    const history = new DecidedHistory(twoGates, world);
    for (const number of [0, 1, 2]) await writeDecided(store, history.decide(number, asked()));
    const log = heardAs(store, (item) =>
      item.kind === 'event' && item.event.data.includes('1-1') && item.event.type === 'AttemptStarted'
        ? [{ ...item, event: { ...item.event, data: '{}x' } }]
        : [item],
    );
    const decided: DecidedAgain[] = [];
    const rules = whatIfRulesFrom(rulesFile({ gates: ['sim-b'] }), 'rules', {}, accountsWith(twoGates));
    const end = await whatIf({ log, rules, accounts: accountsWith(twoGates), onDecided: (one) => void decided.push(one) });
    expect(end).toMatchObject({ orders: 3, unreadable: 1 });
    expect(decided.map(({ order, was, would }) => [order.clientOrderId, was.kind, would.kind])).toStrictEqual([
      ['inv-2', 'approved', 'cannot-know'],
      ['inv-0', 'open', 'cannot-know'],
    ]);
  });
});

describe('whatIf for any rules and any history', () => {
  const sections = fc.record(
    {
      gates: fc.uniqueArray(fc.constantFrom(...TESTED_GATES), { minLength: 1 }),
      screening: fc.record(
        {
          minAmount: fc.constantFrom('0.01', '5.00'),
          maxAmount: fc.constantFrom('20.00', '90.00'),
          blockedBins: fc.constantFrom([], ['444433'], ['44443312'], ['555555', '44443312']),
          blockedCountries: fc.constantFrom([], ['USA'], ['FRA'], ['FRA', 'USA']),
          blockedIps: fc.constantFrom([], ['192.0.2.1'], ['192.0.2.1', '192.0.2.2']),
          perCard: fc.record({ count: fc.nat(2), hours: fc.constantFrom(1, 2) }),
          perIp: fc.record({ count: fc.nat(2), hours: fc.constantFrom(1, 2) }),
        },
        { requiredKeys: [] },
      ),
      routes: fc.array(
        fc.record({
          when: fc.constantFrom({}, { bins: ['444433'] }, { amountTo: '30.00' }, { countries: ['FRA'] }, { brands: ['MASTERCARD'] }),
          kind: fc.constantFrom('cascade', 'split', 'leastCommission'),
          order: fc.nat(5),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['gates'] },
  );
  const orders: fc.Arbitrary<InquiredOrder[]> = fc.array(
    fc.record({
      minor: fc.constantFrom(100n, 1_000n, 2_500n, 9_900n),
      card: fc.nat(2),
      bin: fc.constantFrom('444433', '555555'),
      brand: fc.constantFrom<CardBrand>('VISA', 'MASTERCARD'),
      issuerCountry: fc.constantFrom('USA', 'FRA', 'DEU'),
      customerCountry: fc.constantFrom('USA', 'FRA', 'DEU'),
      ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '203.0.113.9'),
      lesser: fc.constantFrom<readonly bigint[]>([], [50n]),
    }),
    { maxLength: 12 },
  );
  type Drawn = { gates: string[]; screening?: object; routes?: { when: object; kind: string; order: number }[] };
  const rotated = (gates: readonly string[], by: number) => [...gates.slice(by % gates.length), ...gates.slice(0, by % gates.length)];
  const routingOf = ({ gates, routes = [] }: Drawn) =>
    routes.map(({ when, kind, order }, index) => {
      const among = rotated(gates, order);
      return {
        name: `rule-${index}`,
        when,
        then: { [kind]: kind === 'split' ? among.map((gate) => ({ gate, weight: order + 1 })) : among },
      };
    });
  const sectionsOf = (drawn: Drawn): EndpointSections => {
    const routing = routingOf(drawn);
    return { gates: drawn.gates, ...(drawn.screening && { screening: drawn.screening }), ...(routing.length > 0 && { routing }) };
  };

  it('finds no difference under the rules that were in force', async () => {
    await fc.assert(
      fc.asyncProperty(sections, orders, fc.integer(), async (drawn, all, seed) => {
        const was = sectionsOf(drawn);
        const { decided } = await decidedAgain(was, was, all, worldOf(seed));
        expect(decided.map((one) => one?.class)).toStrictEqual(all.map(() => 'same'));
      }),
      { numRuns: 25 },
    );
  });

  it('claims only outcomes that the other rules would have had', async () => {
    let claimed = 0;
    const changedBefore = fc.option(fc.nat(11), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(sections, sections, orders, fc.integer(), changedBefore, async (drawn, other, all, seed, before) => {
        const [was, would] = [sectionsOf(drawn), sectionsOf(other)];
        const world = worldOf(seed);
        const { screening = 'none', routing = 'none', gates } = would;
        const changed = before === undefined ? undefined : { to: would, before };
        const { decided } = await decidedAgain(was, { gates, screening, routing }, all, world, changed);
        const truth = new DecidedHistory(would, world);
        for (const [number, order] of all.entries()) {
          const truly = pastOf(truth.decide(number, order).events);
          const one = decided[number];
          if (one === undefined) throw new Error(`order ${number} was not decided`);
          if (one.isDrawnAnew || one.would.kind === 'cannot-know') continue;
          claimed += 1;
          expect({ number, end: one.would }).toStrictEqual({ number, end: truly });
        }
      }),
      {
        numRuns: 40,
        examples: [
          [
            { gates: ['sim-a'], screening: { perIp: { count: 1, hours: 1 } } },
            { gates: ['sim-a'], screening: { maxAmount: '20.00', perIp: { count: 1, hours: 1 } } },
            [asked({ minor: 9_900n }), asked({ minor: 100n })],
            0,
            undefined,
          ],
        ],
      },
    );
    expect(claimed).toBeGreaterThan(0);
  });
});
