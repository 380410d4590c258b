import { configurationFrom, type Operator } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { BootId } from '@app/kernel';
import { RouteOrder } from '@app/orders';
import { sampleGates, seededRandom, VirtualClock } from '@app/testing';
import { RouteExplanations, type RouteQuestion } from './route-explanation';

const gate = (alias: string, minCentis: number) => ({
  alias,
  adapter: 'simulator',
  currencies: ['USD'],
  commission: { ratePerTenThousand: 0, minCentis },
});
const shares = [{ gate: 'sim-a', weight: 7 }, { gate: 'sim-b', weight: 3 }]; // prettier-ignore
const { accounts } = configurationFrom(
  JSON.stringify({
    merchants: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
        endpoints: [
          {
            id: '1001',
            currency: 'USD',
            gates: ['sim-a', 'sim-b'],
            maxAmount: '500.00',
            operations: ['sale'],
            routing: [
              { name: 'german', when: { countries: ['DE'] }, then: { cascade: ['sim-b'] } },
              { name: 'large', when: { amountFrom: '100.00' }, then: { leastCommission: ['sim-a', 'sim-b'] } },
              { name: 'night', when: { from: '22:00', to: '06:00', brands: ['VISA'] }, then: { split: shares }, stickyByCustomer: true },
            ],
          },
        ],
        groups: [{ id: '2001', endpoints: ['1001'] }],
      },
    ],
    gates: [gate('sim-a', 200), gate('sim-b', 30)],
  }),
  { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
);

const explain = (
  changes: Partial<RouteQuestion> = {},
  open: ReadonlySet<string> = new Set(),
  operator: Pick<Operator, 'merchants'> = {},
  held: readonly string[] = [],
) => {
  const switches = { isHeld: (_kind: string, id: string) => held.includes(id) };
  const gates = sampleGates();
  const digests = { onceKey: (_kind: string, parts: readonly string[]) => (parts.includes('sim-b') ? 'ffffffff' : '00000001') };
  const circuits = { isOpen: (alias: string) => open.has(alias), admits: () => true };
  const routes = new RouteOrder({ accounts, gates, digests, random: seededRandom(1), circuits, switches, clock: new VirtualClock() });
  const explanations = new RouteExplanations({ accounts, gates, routes, bootId: 'boot' as BootId });
  return explanations.explain(
    {
      endpoint: '1001',
      operation: 'sale',
      amount: '10.00',
      at: Date.UTC(2026, 10, 24, 12),
      bin: '444433',
      ...changes,
    },
    operator,
  );
};

describe('RouteExplanations', () => {
  it('names the cascade of the entry point if no rule matches, and the reason for each rule', async () => {
    await expect(explain()).resolves.toStrictEqual({
      reason: 'explained',
      explanation: {
        endpoint: '1001',
        rule: 'default',
        choice: 'cascade',
        gates: ['sim-a', 'sim-b'],
        leftOut: [],
        heldGates: [],
        passedOver: [
          { rule: 'german', failed: ['country'] },
          { rule: 'large', failed: ['amount'] },
          { rule: 'night', failed: ['time'] },
        ],
        facts: { amount: '10.00', currency: 'USD', at: '2026-11-24T12:00:00.000Z', bin: '444433', brand: 'VISA' },
      },
    });
  });

  it('names the gates that are left out because their circuit is open', async () => {
    await expect(explain({}, new Set(['sim-a']))).resolves.toMatchObject({ explanation: { gates: ['sim-b'], leftOut: ['sim-a'] } });
  });

  it('names the held gates, and refuses an order whose entry point is held', async () => {
    await expect(explain({}, new Set(), {}, ['sim-a'])).resolves.toMatchObject({ explanation: { gates: ['sim-b'], heldGates: ['sim-a'] } });
    await expect(explain({}, new Set(), {}, ['1001'])).resolves.toStrictEqual({ reason: 'refused', why: 'held' });
  });

  it('uses the given country', async () => {
    await expect(explain({ country: 'DEU' })).resolves.toMatchObject({
      explanation: { rule: 'german', gates: ['sim-b'], passedOver: [], facts: { country: 'DEU' } },
    });
  });

  it('shows the commissions for the amount', async () => {
    await expect(explain({ amount: '100' })).resolves.toMatchObject({
      explanation: {
        rule: 'large',
        gates: ['sim-b', 'sim-a'],
        commissions: [
          { gate: 'sim-a', commission: '2.00' },
          { gate: 'sim-b', commission: '0.30' },
        ],
      },
    });
  });

  it('draws by customer if one is given, and by chance otherwise', async () => {
    const at = Date.UTC(2026, 10, 24, 23);
    await expect(explain({ at })).resolves.toMatchObject({
      explanation: { rule: 'night', gates: ['sim-a', 'sim-b'], drawnBy: 'chance', shares },
    });
    await expect(explain({ at, customer: 'ann@example.com' })).resolves.toMatchObject({
      explanation: { rule: 'night', gates: ['sim-b', 'sim-a'], drawnBy: 'customer' },
    });
  });

  it('finds the entry point of a group by the currency', async () => {
    await expect(explain({ endpoint: '2001', currency: 'USD' })).resolves.toMatchObject({ explanation: { endpoint: '1001' } });
    await expect(explain({ endpoint: '2001', currency: 'EUR' })).resolves.toStrictEqual({ reason: 'refused', why: 'currency-not-served' });
  });

  it.each<[Partial<RouteQuestion>, object]>([
    [{ endpoint: '9' }, { reason: 'unknown-endpoint' }],
    [{ amount: '01' }, { reason: 'malformed-amount' }],
    [{ amount: '500.01' }, { reason: 'refused', why: 'amount-out-of-range' }],
    [{ amount: '0' }, { reason: 'refused', why: 'amount-out-of-range' }],
    [{ operation: 'preauth' }, { reason: 'refused', why: 'operation-not-offered' }],
  ])('refuses %j as %j', async (changes, answer) => {
    await expect(explain(changes)).resolves.toStrictEqual(answer);
  });
});
