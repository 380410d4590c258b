import { paintFor } from '../terminal';
import type { ListedGate, RouteExplanation } from '@app/investigation';
import { renderGate, renderRoute, switchedText } from './routing';

const SINCE = '2026-11-24T08:30:00.000Z';
const gate: ListedGate = {
  alias: 'sim-a',
  adapter: 'simulator',
  circuit: 'closed',
  since: SINCE,
  calls: 20,
  failures: 3,
  nextProbeAt: null,
  heldSince: null,
  heldBy: null,
  lastHour: null,
};
const shown = (changes: Partial<ListedGate> = {}) => renderGate({ ...gate, ...changes }, paintFor(false));

it('renders a gate with its circuit state, its start time and its failures or next probe, and its hold', () => {
  expect(shown()).toBe(`sim-a  simulator  circuit closed  since ${SINCE}  3 of 20 calls failed lately`);
  expect(shown({ circuit: 'open', nextProbeAt: '2026-11-24T08:31:00.000Z' })).toBe(
    `sim-a  simulator  circuit open  since ${SINCE}  next probe at 2026-11-24T08:31:00.000Z`,
  );
  expect(shown({ circuit: 'half-open' })).toBe(`sim-a  simulator  circuit half-open  since ${SINCE}`);
  expect(shown({ circuit: 'off', since: null })).toBe('sim-a  simulator  circuit off');
  expect(shown({ heldSince: SINCE, heldBy: 'operator:kim' })).toBe(
    `sim-a  simulator  held since ${SINCE} by operator:kim  circuit closed  since ${SINCE}  3 of 20 calls failed lately`,
  );
});

it('renders the calls of a gate in the last hour', () => {
  const calls = { approved: 18, declined: 4, failed: 0, unknown: 2, pending: 0 };
  const none = { approved: 0, declined: 0, failed: 0, unknown: 0, pending: 0 };
  const lastHour = { calls, latency: { p50Ms: 100, p95Ms: 60_000 }, declines: [{ code: 105, count: 3 }, { code: 107, count: 1 }], minutes: [] }; // prettier-ignore
  const shownHour = (hour: ListedGate['lastHour']) => shown({ circuit: 'off', since: null, lastHour: hour });
  expect(shownHour(lastHour)).toBe(
    'sim-a  simulator  circuit off  last hour 18 approved, 4 declined, 2 unknown; half within 100 ms, 95 % within 60000 ms; declines 105: 3, 107: 1',
  );
  expect(shownHour({ ...lastHour, calls: none })).toBe('sim-a  simulator  circuit off  last hour no calls');
});

it.each([
  [true, true, 'is held, and gets no new orders: in every process within 5 s'],
  [true, false, 'was held before, and still gets no new orders'],
  [false, true, 'is released, and gets new orders again: in every process within 5 s'],
  [false, false, 'was not held, so nothing changed'],
])('switchedText with isHeld %s and isChanged %s', (isHeld, isChanged, text) => {
  expect(switchedText({ isHeld, isChanged })).toBe(text);
});

const explained: RouteExplanation = {
  endpoint: '1001',
  rule: 'shared',
  choice: 'split',
  gates: ['sim-b', 'sim-a'],
  leftOut: [],
  heldGates: [],
  drawnBy: 'customer',
  shares: [
    { gate: 'sim-a', weight: 70 },
    { gate: 'sim-b', weight: 30 },
  ],
  passedOver: [{ rule: 'large', failed: ['amount', 'time'] }],
  facts: { amount: '10.00', currency: 'USD', at: '2026-11-24T08:30:00.000Z', bin: '444433', brand: 'VISA', country: 'USA' },
};
const lines = (changes: Partial<RouteExplanation> = {}) => renderRoute({ ...explained, ...changes }, paintFor(false));

describe('renderRoute', () => {
  it('shows the facts, the rules that do not match, the matching rule and its weighted gates', () => {
    expect(lines()).toStrictEqual([
      'endpoint 1001: 10.00 USD, at 2026-11-24T08:30:00.000Z, BIN 444433, brand VISA, country USA',
      '  rule large does not hold: amount, time',
      '  rule shared, split by weight, always so for this customer',
      '    1. sim-b  weight 30',
      '    2. sim-a  weight 70',
    ]);
  });

  it('names the gates that are left out', () => {
    expect(lines({ gates: ['sim-b'], leftOut: ['sim-a'], heldGates: ['sim-c'] }).slice(-3)).toStrictEqual([
      '    1. sim-b  weight 30',
      '    without sim-a, whose circuit is open (orch gates)',
      '    without sim-c, held by an operator (orch gates)',
    ]);
  });

  it('marks the order of gates as random if the draw is by chance', () => {
    expect(lines({ drawnBy: 'chance' })[2]).toBe('  rule shared, split by weight, the first is drawn by chance, shown by weight');
  });

  it('shows commissions and unknown card properties', () => {
    const { drawnBy: _drawn, shares: _shares, facts, ...others } = explained;
    const { bin: _bin, brand: _brand, country: _country, ...known } = facts;
    const commissions = [{ gate: 'sim-b', commission: '0.30' }, { gate: 'sim-a', commission: '0.45' }]; // prettier-ignore
    expect(renderRoute({ ...others, choice: 'least-commission', commissions, facts: known }, paintFor(false))).toStrictEqual([
      'endpoint 1001: 10.00 USD, at 2026-11-24T08:30:00.000Z, BIN not known, brand not known, country not known',
      '  rule large does not hold: amount, time',
      '  rule shared, the least commission first',
      '    1. sim-b  commission 0.30 USD',
      '    2. sim-a  commission 0.45 USD',
    ]);
  });

  it('names the default cascade of the endpoint if no rule matches', () => {
    const { drawnBy: _drawn, shares: _shares, ...others } = explained;
    expect(renderRoute({ ...others, rule: 'default', choice: 'cascade', passedOver: [] }, paintFor(false))).toStrictEqual([
      'endpoint 1001: 10.00 USD, at 2026-11-24T08:30:00.000Z, BIN 444433, brand VISA, country USA',
      '  rule default, the gates of the endpoint as they are listed',
      '    1. sim-b',
      '    2. sim-a',
    ]);
  });
});
