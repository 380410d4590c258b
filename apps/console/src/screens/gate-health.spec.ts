import type { Schemas } from '../port';
import { byHealth, healthOf, latencyLine } from './gate-health';

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
  expect(healthOf(gate(minutes), NOW)).toEqual({ kind: 'failing', since: minuteAt(7, {}).at });
});

it('calls a gate well again once a minute went well', () =>
  expect(healthOf(gate([minuteAt(3, { failed: 9 }), minuteAt(1, { approved: 4 })]), NOW)).toEqual({ kind: 'well' }));

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

it('sorts the worst gate first', () => {
  const gates = [gate([], { alias: 'b' }), gate([], { alias: 'a' }), gate([], { alias: 'z', circuit: 'open' })];
  expect(gates.toSorted(byHealth(NOW)).map(({ alias }) => alias)).toEqual(['z', 'a', 'b']);
});

it('has one point a minute, and gaps without calls', () => {
  const line = latencyLine([minuteAt(1, {}), minuteAt(0, { p95Ms: 30 })], NOW);
  expect(line).toHaveLength(60);
  expect(line.slice(-3)).toEqual([null, 20, 30]);
});
