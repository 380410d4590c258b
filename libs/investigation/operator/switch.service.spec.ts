import type { Operator } from '@app/configuration';
import type { Instant, MerchantLogin } from '@app/kernel';
import type { HoldTarget } from '@app/orders/domain';
import { actingAlone } from './operator-access';
import { SwitchService } from './switch.service';

const ACME = 'acme' as MerchantLogin;
const kim = (merchants?: readonly string[]): Operator =>
  ({ name: 'kim', role: 'operator', tokenSha256: '', ...(merchants && { merchants }) }) as Operator;

const setUp = () => {
  const calls: string[] = [];
  const since = Date.UTC(2026, 0, 1) as Instant;
  const targets: readonly HoldTarget[] = [
    { kind: 'gate', id: 'sim-a' },
    { kind: 'endpoint', id: '1001', merchant: ACME },
  ];
  const service = new SwitchService({
    switches: {
      find: (kind, id) => targets.find((one) => one.kind === kind && one.id === id),
      holds: () => targets.map((target) => ({ ...target, since, by: 'operator:joe' })),
      turn: async (type, { id }, reason) => {
        calls.push(`${type} ${id} ${reason}`);
        return type === 'HoldNewOrders' ? 'held' : 'not-held';
      },
    },
    audit: {
      begin: async (_by, { action, target }) => {
        calls.push(`begin ${action} ${target}`);
        return 'a-1';
      },
      end: async (_by, _id, outcome) => void calls.push(`end ${outcome}`),
    },
  });
  const turn = (to: 'hold' | 'release', kind: HoldTarget['kind'], id: string, operator = kim()) =>
    service.turn(to, kind, { id, reason: 'outage' }, actingAlone(operator));
  return { service, calls, turn };
};

describe('SwitchService', () => {
  it('records a hold before it is executed, and its outcome afterwards', async () => {
    const { calls, turn } = setUp();
    expect(await turn('hold', 'gate', 'sim-a')).toStrictEqual({ reason: 'held' });
    expect(await turn('release', 'endpoint', '1001')).toStrictEqual({ reason: 'not-held' });
    expect(calls).toStrictEqual([
      'begin hold-gate sim-a',
      'HoldNewOrders sim-a outage',
      'end done',
      'begin release-endpoint 1001',
      'ReleaseNewOrders 1001 outage',
      'end refused',
    ]);
  });

  it('refuses a target that the configuration does not have, without a record', async () => {
    const { calls, turn } = setUp();
    expect(await turn('hold', 'gate', '1001')).toStrictEqual({ reason: 'unknown-gate' });
    expect(await turn('hold', 'endpoint', '9')).toStrictEqual({ reason: 'unknown-endpoint' });
    expect(calls).toStrictEqual([]);
  });

  it('lets a limited operator hold and see only entry points of its merchants', async () => {
    const { service, turn } = setUp();
    expect(await turn('hold', 'endpoint', '1001', kim(['acme']))).toStrictEqual({ reason: 'held' });
    expect(await turn('hold', 'endpoint', '1001', kim(['other']))).toStrictEqual({ reason: 'unknown-endpoint' });
    expect(await turn('hold', 'gate', 'sim-a', kim(['acme']))).toStrictEqual({ reason: 'unknown-gate' });
    expect(service.held(kim()).map(({ id }) => id)).toStrictEqual(['sim-a', '1001']);
    expect(service.held(kim(['other']))).toStrictEqual([]);
    expect(service.held(kim(['acme']))).toStrictEqual([
      { kind: 'endpoint', id: '1001', merchant: 'acme', since: '2026-01-01T00:00:00.000Z', by: 'operator:joe' },
    ]);
  });
});
