import type { Accounts } from '@app/configuration';
import type { GateAlias } from '@app/kernel';
import { GateCircuits } from '@app/orders';
import { VirtualClock } from '@app/testing';
import { GateStates } from './gate-states';

const circuit = { windowMs: 60_000, callsMin: 2, failurePercent: 50, openMs: 30_000, openMsMax: 120_000, probes: 1 };
const [A, B, OFF] = ['sim-a', 'sim-b', 'sim-off'] as [GateAlias, GateAlias, GateAlias];

it('GateStates lists every configured gate with its adapter and the state of its circuit', async () => {
  const clock = new VirtualClock();
  const circuits = new GateCircuits([{ alias: A, circuit }, { alias: B, circuit }, { alias: OFF }], { clock, monotonic: clock });
  const accounts = { gates: [A, B, OFF].map((alias) => ({ alias, adapter: 'simulator' })) } as unknown as Accounts;
  circuits.began(A, 'charge')('approved');
  for (let count = 0; count < 2; count++) circuits.began(B, 'charge')('failed');
  await clock.advance(1_000);
  expect(new GateStates(accounts, circuits).states()).toStrictEqual([
    {
      alias: A,
      adapter: 'simulator',
      circuit: 'closed',
      since: '2024-01-01T00:00:00.000Z',
      calls: 1,
      failures: 0,
      nextProbeAt: null,
    },
    {
      alias: B,
      adapter: 'simulator',
      circuit: 'open',
      since: '2024-01-01T00:00:00.000Z',
      calls: 0,
      failures: 0,
      nextProbeAt: '2024-01-01T00:00:30.000Z',
    },
    { alias: OFF, adapter: 'simulator', circuit: 'off', since: null, calls: 0, failures: 0, nextProbeAt: null },
  ]);
});
