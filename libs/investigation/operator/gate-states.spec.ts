import type { Accounts } from '@app/configuration';
import type { GateAlias, MerchantLogin } from '@app/kernel';
import { GateCircuits } from '@app/orders';
import type { CallOutcome, CallsInMinute } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { GateStates } from './gate-states';

const circuit = { windowMs: 60_000, callsMin: 2, failurePercent: 50, openMs: 30_000, openMsMax: 120_000, probes: 1 };
const [A, B, OFF] = ['sim-a', 'sim-b', 'sim-off'] as [GateAlias, GateAlias, GateAlias];

type Ports = ConstructorParameters<typeof GateStates>[0];

const statesOf = (ports: Partial<Ports> & Pick<Ports, 'accounts'>, clock = new VirtualClock()): GateStates =>
  new GateStates({
    circuits: new GateCircuits([], { clock, monotonic: clock }),
    switches: { holds: () => [] },
    readModel: { gateMinutes: { between: async () => ({ orders: [], calls: [] }) } },
    bootId: 'boot-1',
    clock,
    scheduler: clock,
    ...ports,
  });

it('GateStates lists every configured gate with its adapter, the state of its circuit, and its hold', async () => {
  const clock = new VirtualClock();
  const circuits = new GateCircuits([{ alias: A, circuit }, { alias: B, circuit }, { alias: OFF }], { clock, monotonic: clock });
  const accounts = { gates: [A, B, OFF].map((alias) => ({ alias, adapter: 'simulator' })) } as unknown as Accounts;
  circuits.began(A, 'charge')('approved');
  for (let count = 0; count < 2; count++) circuits.began(B, 'charge')('failed');
  await clock.advance(1_000);
  const switches = { holds: () => [{ kind: 'gate' as const, id: OFF, since: clock.now(), by: 'operator:kim' }] };
  expect(statesOf({ accounts, circuits, switches }).states({})).toStrictEqual([
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
    statesOf({ accounts, circuits })
      .states({ merchants: merchants as MerchantLogin[] })
      .map(({ alias }) => alias);
  expect(seen('acme')).toStrictEqual([A]);
  expect(seen('zeta')).toStrictEqual([A, B]);
  expect(seen('gone')).toStrictEqual([]);
});

describe('GateStates.list', () => {
  const accounts = {
    logins: ['acme', 'zeta'],
    gates: [A, B].map((alias) => ({ alias, adapter: 'simulator' })),
    merchants: [{ login: 'acme', endpoints: [{ gates: [A] }] }, { login: 'zeta', endpoints: [{ gates: [B] }] }], // prettier-ignore
  } as unknown as Accounts;

  it('adds the calls of the last hour by outcome, latency and code, from the counts of all processes', async () => {
    const clock = new VirtualClock();
    const minute = clock.now();
    const latency = (...counts: readonly number[]) => Array.from({ length: 12 }, (_, index) => counts[index] ?? 0);
    const call = (at: number, outcome: CallOutcome, count: number, more: Partial<CallsInMinute> = {}) =>
      ({ at, gate: A, outcome, count, code: undefined, latency: latency(), ...more }) as unknown as CallsInMinute;
    const calls = [
      call(minute - 60_000, 'approved', 18, { latency: latency(0, 18) }),
      call(minute - 60_000, 'declined', 1, { code: 107, latency: latency(0, 1) }),
      call(minute, 'declined', 3, { code: 105, latency: latency(0, 0, 3) }),
      call(minute, 'unknown', 2, { latency: [...latency().slice(1), 2] }),
      call(minute, 'failed', 1),
    ];
    const asked: unknown[] = [];
    const between = async (...question: readonly unknown[]) => (asked.push(question), { orders: [], calls });
    const listed = await statesOf({ accounts, readModel: { gateMinutes: { between } } }, clock).list({});
    expect(asked).toStrictEqual([[minute - 59 * 60_000, minute + 60_000, undefined]]);
    expect(listed).toMatchObject({ process: 'boot-1', since: '2023-12-31T23:01:00.000Z', until: '2024-01-01T00:01:00.000Z' });
    const none = { approved: 0, declined: 0, failed: 0, unknown: 0, pending: 0 };
    expect(listed.gates.map(({ alias, lastHour }) => [alias, lastHour])).toStrictEqual([
      [
        A,
        {
          calls: { approved: 18, declined: 4, failed: 1, unknown: 2, pending: 0 },
          latency: { p50Ms: 100, p95Ms: 60_000 },
          declines: [{ code: 105, count: 3 }, { code: 107, count: 1 }], // prettier-ignore
          minutes: [
            { at: '2023-12-31T23:59:00.000Z', ...none, approved: 18, declined: 1, p50Ms: 100, p95Ms: 100 },
            { at: '2024-01-01T00:00:00.000Z', ...none, declined: 3, failed: 1, unknown: 2, p50Ms: 250, p95Ms: 60_000 },
          ],
        },
      ],
      [B, { calls: none, latency: { p50Ms: null, p95Ms: null }, declines: [], minutes: [] }],
    ]);
  });

  it("asks for a limited operator's merchants only, and shows only their gates", async () => {
    const asked: unknown[] = [];
    const between = async (...[, , merchants]: readonly unknown[]) => (asked.push(merchants), { orders: [], calls: [] });
    const listed = await statesOf({ accounts, readModel: { gateMinutes: { between } } }).list({ merchants: ['zeta'] as MerchantLogin[] });
    expect(asked).toStrictEqual([['zeta']]);
    expect(listed.gates.map(({ alias }) => alias)).toStrictEqual([B]);
  });

  it('lists the gates without calls if the read models fail or do not answer', async () => {
    const clock = new VirtualClock();
    const failing = statesOf({ accounts, readModel: { gateMinutes: { between: () => Promise.reject(new Error('down')) } } }, clock);
    expect((await failing.list({})).gates).toMatchObject([{ lastHour: null }, { lastHour: null }]);
    const silent = statesOf({ accounts, readModel: { gateMinutes: { between: () => new Promise(() => undefined) } } }, clock).list({});
    await clock.advance(2_000);
    expect((await silent).gates).toMatchObject([{ lastHour: null }, { lastHour: null }]);
  });
});
