import type { Schemas } from '../port';
import { approvalPercent, choiceSentence, gateWords, passedOverText, sharePercent, worstOf } from './gate-words';

const NONE = { approved: 0, declined: 0, failed: 0, unknown: 0, pending: 0 };
const gate = (alias: string, changes: Partial<Schemas['ListedGate']> = {}): Schemas['ListedGate'] => ({
  alias,
  adapter: 'simulator',
  circuit: 'closed',
  since: null,
  calls: 0,
  failures: 0,
  nextProbeAt: null,
  heldSince: null,
  heldBy: null,
  lastHour: { calls: NONE, latency: { p50Ms: null, p95Ms: null }, declines: [], minutes: [] },
  ...changes,
});

it.each([
  ['closed', null, 'In routing'],
  ['off', null, 'In routing'],
  ['half-open', null, 'On trial'],
  ['open', null, 'Out of routing'],
  ['open', '2026-11-29T00:00:00Z', 'Held'],
] as const)('names a gate with a circuit that is %s, held since %s', (circuit, heldSince, word) =>
  expect(gateWords({ circuit, heldSince }).word).toBe(word),
);

it('begins with the gate that needs a look: out of routing, then held, then unknown and failed calls', () => {
  const open = gate('open', { circuit: 'open' });
  const held = gate('held', { heldSince: '2026-11-29T00:00:00Z' });
  const unsure = gate('unsure', { lastHour: { ...gate('').lastHour!, calls: { ...NONE, unknown: 2 } } });
  const silent = gate('silent', { lastHour: null });
  expect(worstOf([silent, unsure, held, open])?.alias).toBe('open');
  expect(worstOf([silent, unsure, held])?.alias).toBe('held');
  expect(worstOf([silent, unsure])?.alias).toBe('unsure');
  expect(worstOf([])).toBeUndefined();
});

it('counts approvals among the calls that ended, in whole percent', () => {
  expect(approvalPercent({ ...NONE, approved: 2, declined: 1, pending: 9 })).toBe(67);
  expect(approvalPercent({ ...NONE, pending: 9 })).toBeUndefined();
});

it('says why a rule was passed over, and why the gates are in this order', () => {
  expect(passedOverText(['amount', 'gates'])).toBe('the amount is outside its limits, and none of its gates can serve the order');
  const gates = ['a', 'b'];
  expect(choiceSentence({ rule: 'x', choice: 'cascade', gates: ['a'] })).toBe('Only one gate is tried.');
  expect(choiceSentence({ rule: 'x', choice: 'cascade', gates })).toContain('in the order of their list');
  expect(choiceSentence({ rule: 'x', choice: 'least-commission', gates })).toContain('least commission');
  expect(choiceSentence({ rule: 'x', choice: 'split', drawnBy: 'chance', gates })).toContain('by chance');
  expect(choiceSentence({ rule: 'x', choice: 'split', drawnBy: 'customer', gates })).toContain('for this customer');
  expect(sharePercent(7, [{ weight: 7 }, { weight: 3 }])).toBe(70);
});
