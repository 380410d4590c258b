import { DEMO_DAYS, demoPlan } from './demo-plan';
import { withDifferences } from './demo-history';

const until = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

it('gives the same plan for a seed, and another one for another seed', () => {
  const plan = demoPlan({ orders: 60, seed: 1, until });
  expect(plan.steps).toStrictEqual(demoPlan({ orders: 60, seed: 1, until }).steps);
  expect(plan.steps).not.toStrictEqual(demoPlan({ orders: 60, seed: 2, until }).steps);
  expect(plan.scriptsAt(until)).toStrictEqual(demoPlan({ orders: 60, seed: 1, until }).scriptsAt(until));
});

it('orders its steps by time, within the days before its end and without long gaps', () => {
  const { steps, from } = demoPlan({ orders: 200, seed: 3, until });
  expect(from).toBe(until - DEMO_DAYS * DAY_MS);
  const times = [from, ...steps.map(({ atMs }) => atMs), until];
  const gaps = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
  expect([Math.min(...gaps) >= 0, Math.max(...gaps) <= HOUR_MS]).toStrictEqual([true, true]);
});

it('has bad hours, of which the last has not ended', () => {
  const { isBadHour } = demoPlan({ orders: 20, seed: 1, until });
  expect([until - 1, until - 24 * DAY_MS, until - 3 * HOUR_MS].map((atMs) => isBadHour(atMs))).toStrictEqual([true, true, false]);
});

it('makes an acquirer’s file with a missing line, another amount and another status', () => {
  const lines = Array.from({ length: 11 }, (_, at) => (at === 0 ? 'head' : `order-${at},approved,10.00`));
  const changed = withDifferences([...lines, 'order-11,payer-pending,10.00'].join('\n')).split('\n');
  expect(changed).toHaveLength(lines.length - 1);
  expect(changed.filter((line) => !lines.includes(line)).map((line) => line.replace(/^order-\d+,/, ''))).toStrictEqual([
    'approved,11.00',
    'declined,10.00',
  ]);
});
