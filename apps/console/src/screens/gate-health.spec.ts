import type { Schemas } from '../port';
import { approvalPercent, byHealth, failingGates, healthOf, latencyLine } from './gate-health';

type Gate = Schemas['ListedGate'];
const NOW = Date.parse('2026-11-29T12:00:00Z');
const minuteAt = (minutesAgo: number, calls: Partial<Schemas['CallMinute']>): Schemas['CallMinute'] => ({
  at: new Date(NOW - minutesAgo * 60_000).toISOString(),
  unknown: 0,
  approved: 0,
  declined: 0,
  failed: 0,
  pending: 0,
  p50Ms: 10,
  p95Ms: 20,
  ...calls,
});
const gate = (minutes: readonly Schemas['CallMinute'][], changes: Partial<Gate> = {}): Gate => ({
  alias: 'sim-a',
  adapter: 'simulator',
  circuit: 'closed',
  since: '2026-11-29T00:00:00.000Z',
  calls: 0,
  failures: 0,
  nextProbeAt: null,
  heldSince: null,
  heldBy: null,
  lastHour: { calls: minuteAt(0, {}), latency: { p50Ms: 1, p95Ms: 2 }, declines: [], minutes: [...minutes] },
  ...changes,
});

it('takes declined calls as a gate that works', () =>
  expect(healthOf(gate([minuteAt(1, { declined: 9 })]), NOW)).toEqual({ kind: 'well' }));

it('finds the first minute of a gate that fails until now', () => {
  const minutes = [
    minuteAt(9, { approved: 5 }),
    minuteAt(7, { approved: 3, unknown: 1 }),
    minuteAt(4, { failed: 2 }),
    minuteAt(1, { failed: 1 }),
  ];
  expect(healthOf(gate(minutes), NOW)).toEqual({
    kind: 'failing',
    since: minuteAt(7, {}).at,
    failing: { since: minuteAt(7, {}).at, isLonger: false },
  });
});

it('calls a gate well again once a minute went well', () =>
  expect(healthOf(gate([minuteAt(3, { failed: 9 }), minuteAt(1, { approved: 4 })]), NOW)).toEqual({ kind: 'well' }));

it('takes one call that went well for no proof that a gate works again', () => {
  const minutes = [
    minuteAt(20, { approved: 9 }),
    minuteAt(9, { failed: 2 }),
    minuteAt(6, { approved: 1 }),
    minuteAt(4, { unknown: 3 }),
    minuteAt(2, { approved: 1 }),
  ];
  expect(healthOf(gate(minutes), NOW).failing).toEqual({ since: minuteAt(9, {}).at, isLonger: false });
});

it('says that a gate fails for longer than the last hour shows', () => {
  const minutes = [minuteAt(58, { approved: 1 }), minuteAt(57, { failed: 9 }), minuteAt(1, { failed: 9 })];
  expect(healthOf(gate(minutes), NOW).failing).toEqual({ since: minuteAt(57, {}).at, isLonger: true });
  expect(healthOf(gate([minuteAt(58, { approved: 9 }), ...minutes]), NOW).failing?.isLonger).toBe(false);
});

it('draws no conclusion from two calls, or from an old minute', () => {
  expect(healthOf(gate([minuteAt(1, { failed: 2 })]), NOW).kind).toBe('well');
  expect(healthOf(gate([minuteAt(30, { failed: 20 })]), NOW).kind).toBe('well');
});

it('shows an open circuit before the calls, and a hold before the circuit', () => {
  const since = '2026-11-29T11:50:00.000Z';
  expect(healthOf(gate([], { circuit: 'open', since }), NOW)).toEqual({ kind: 'open', since });
  expect(healthOf(gate([], { circuit: 'half-open', since }), NOW)).toEqual({ kind: 'probing', since });
  expect(healthOf(gate([], { circuit: 'open', since, heldSince: since, heldBy: 'kim' }), NOW)).toEqual({ kind: 'held', since });
});

it('says since when an avoided gate fails, by its last calls before', () => {
  const minutes = [minuteAt(45, { failed: 4 })];
  const failing = { since: minuteAt(45, {}).at, isLonger: false };
  const since = minuteAt(40, {}).at;
  expect(healthOf(gate(minutes, { heldSince: since, heldBy: 'kim' }), NOW)).toEqual({ kind: 'held', since, failing });
  expect(healthOf(gate(minutes, { circuit: 'open', since }), NOW)).toEqual({ kind: 'open', since, failing });
  expect(healthOf(gate(minutes, { heldSince: minuteAt(1, {}).at, heldBy: 'kim' }), NOW)).toEqual({
    kind: 'held',
    since: minuteAt(1, {}).at,
  });
});

it('sorts the worst gate first, and a held gate that fails before one that does not', () => {
  const held = { heldSince: minuteAt(2, {}).at, heldBy: 'kim' };
  const gates = [
    gate([], { alias: 'b' }),
    gate([], { alias: 'a', circuit: 'off' }),
    gate([], { alias: 'held', ...held }),
    gate([minuteAt(3, { failed: 9 })], { alias: 'held-failing', ...held }),
    gate([], { alias: 'probing', circuit: 'half-open' }),
    gate([minuteAt(1, { failed: 9 })], { alias: 'failing' }),
    gate([], { alias: 'open', circuit: 'open' }),
  ];
  expect(gates.toSorted(byHealth(NOW)).map(({ alias }) => alias)).toEqual(['open', 'failing', 'held-failing', 'probing', 'held', 'a', 'b']);
});

it('finds the gates that fail or are avoided, held or not, the worst first', () => {
  const held = { heldSince: minuteAt(2, {}).at, heldBy: 'kim' };
  const failing = [minuteAt(3, { unknown: 9 })];
  const gates = [
    gate([], { alias: 'well' }),
    gate([], { alias: 'held', ...held }),
    gate(failing, { alias: 'held-failing', ...held }),
    gate(failing, { alias: 'failing' }),
    gate([], { alias: 'open', circuit: 'open' }),
  ];
  expect(failingGates(gates, NOW).map(({ alias }) => alias)).toEqual(['open', 'failing', 'held-failing']);
});

it('sorts the gate with more failed and unknown calls first among equals', () => {
  const once = gate([], { alias: 'a' });
  const calls = minuteAt(0, { failed: 1, unknown: 1 });
  const worse = gate([], { alias: 'z', lastHour: { ...once.lastHour!, calls } });
  expect([once, worse].toSorted(byHealth(NOW)).map(({ alias }) => alias)).toEqual(['z', 'a']);
});

it('counts approvals among the calls that ended, in whole percent', () => {
  expect(approvalPercent(minuteAt(0, { approved: 2, declined: 1, pending: 9 }))).toBe(67);
  expect(approvalPercent(minuteAt(0, { pending: 9 }))).toBeUndefined();
});

it('has one point a minute, and gaps without calls', () => {
  const line = latencyLine([minuteAt(1, {}), minuteAt(0, { p95Ms: 30 })], NOW);
  expect(line).toHaveLength(60);
  expect(line.slice(-3)).toEqual([null, 20, 30]);
});
