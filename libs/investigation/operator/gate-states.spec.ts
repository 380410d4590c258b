import type { Accounts } from '@app/configuration';
import type { GateAlias, MerchantLogin } from '@app/kernel';
import { GateCircuits } from '@app/orders';
import { VirtualClock } from '@app/testing';
import { GateStates } from './gate-states';

const circuit = { windowMs: 60_000, callsMin: 2, failurePercent: 50, openMs: 30_000, openMsMax: 120_000, probes: 1 };
const [A, B, OFF] = ['sim-a', 'sim-b', 'sim-off'] as [GateAlias, GateAlias, GateAlias];

it('GateStates lists every configured gate with its adapter, the state of its circuit, and its hold', async () => {
  const clock = new VirtualClock();
  const circuits = new GateCircuits([{ alias: A, circuit }, { alias: B, circuit }, { alias: OFF }], { clock, monotonic: clock });
  const accounts = { gates: [A, B, OFF].map((alias) => ({ alias, adapter: 'simulator' })) } as unknown as Accounts;
  circuits.began(A, 'charge')('approved');
  for (let count = 0; count < 2; count++) circuits.began(B, 'charge')('failed');
  await clock.advance(1_000);
  const switches = { holds: () => [{ kind: 'gate' as const, id: OFF, since: clock.now(), by: 'operator:kim' }] };
  expect(new GateStates(accounts, circuits, switches).states({})).toStrictEqual([
    {
      alias: A,
      adapter: 'simulator',
      circuit: 'closed',
      since: '2024-01-01T00:00:00.000Z',
      calls: 1,
      failures: 0,
      nextProbeAt: null,
      heldSince: null,
      heldBy: null,
    },
    {
      alias: B,
      adapter: 'simulator',
      circuit: 'open',
      since: '2024-01-01T00:00:00.000Z',
      calls: 0,
      failures: 0,
      nextProbeAt: '2024-01-01T00:00:30.000Z',
      heldSince: null,
      heldBy: null,
    },
    {
      alias: OFF,
      adapter: 'simulator',
      circuit: 'off',
      since: null,
      calls: 0,
      failures: 0,
      nextProbeAt: null,
      heldSince: '2024-01-01T00:00:01.000Z',
      heldBy: 'operator:kim',
    },
  ]);
});

it('GateStates lists to an operator of some merchants only the gates of their endpoints', () => {
  const circuits = new GateCircuits([], { clock: new VirtualClock(), monotonic: new VirtualClock() });
  const merchant = (login: string, ...gates: readonly GateAlias[]) => ({ login, endpoints: gates.map((alias) => ({ gates: [alias] })) });
  const accounts = {
    gates: [A, B, OFF].map((alias) => ({ alias, adapter: 'simulator' })),
    merchants: [merchant('acme', A), merchant('zeta', B, A)],
  } as unknown as Accounts;
  const seen = (...merchants: readonly string[]) =>
    new GateStates(accounts, circuits, { holds: () => [] }).states({ merchants: merchants as MerchantLogin[] }).map(({ alias }) => alias);
  expect(seen('acme')).toStrictEqual([A]);
  expect(seen('zeta')).toStrictEqual([A, B]);
  expect(seen('gone')).toStrictEqual([]);
});
