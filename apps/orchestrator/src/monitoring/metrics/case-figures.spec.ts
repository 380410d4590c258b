import { Registry } from 'prom-client';
import type { OpenCases } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { watchCases } from './live-figures';

const figuresOf = async (open: () => Promise<readonly OpenCases[]>): Promise<readonly string[]> => {
  const registry = new Registry();
  const clock = new VirtualClock();
  watchCases(registry, { clock, scheduler: clock, open });
  const page = await registry.metrics();
  return page.split('\n').filter((line) => line.startsWith('orchestrator_'));
};

it('open reconciliation cases are counted by gate and kind, with the age of the oldest', async () => {
  const oldestAt = new VirtualClock().now() - 90_000;
  expect(await figuresOf(() => Promise.resolve([{ gate: 'sim-a', kind: 'different', count: 2, oldestAt }]))).toStrictEqual([
    'orchestrator_reconciliation_cases{gate="sim-a",kind="different"} 2',
    'orchestrator_reconciliation_cases_oldest_seconds{gate="sim-a",kind="different"} 90',
  ]);
});

it('open reconciliation cases are omitted if the read models fail', async () => {
  expect(await figuresOf(() => Promise.reject(new Error('away')))).toStrictEqual([]);
});
