import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { GateAlias } from '@app/kernel';
import { configurationFrom } from './load-configuration';
import { isSameSetting, LiveConfiguration } from './live-configuration';

const KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const merchant = (login: string, id: string, more: object = {}) => ({
  login,
  controlKey: KEY.replace('00', id.slice(-2)),
  endpoints: [{ id, currency: 'USD', gates: ['sim-a'], ...more }],
});
const FILE = {
  merchants: [merchant('acme', '1001'), merchant('zeta', '1002')],
  gates: [
    { alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] },
    { alias: 'sim-b', adapter: 'simulator', currencies: ['USD'] },
  ],
};
const read = (changes: object = {}) =>
  configurationFrom(JSON.stringify({ ...FILE, ...changes }), { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS });

describe('LiveConfiguration', () => {
  it('shows a taken configuration through the same view, lists and lookups', () => {
    const live = new LiveConfiguration(read());
    const { view } = live;
    const { accounts } = view;
    const merchants = [merchant('acme', '1001', { gates: ['sim-b'] }), merchant('zeta', '1002'), merchant('nova', '1003')];
    expect(live.take(read({ merchants, groupB: { httpErrors: 'status-codes' } }))).toStrictEqual([]);
    expect(view.groupB.httpErrors).toBe('status-codes');
    expect(accounts.logins).toStrictEqual(['acme', 'zeta', 'nova']);
    expect(accounts.entryPoint('endpoint', '1001')).toMatchObject({ endpoint: { gates: ['sim-b'] } });
    expect(accounts.merchant('nova')?.login).toBe('nova');
    expect(view.accounts).toBe(accounts);
    expect({ ...view }.operators).toStrictEqual([]);
  });

  it('shows a sign-in that is added, changed and removed while it runs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sign-in-'));
    writeFileSync(join(folder, 'secret'), 'a-secret-of-the-house');
    const signIn = { issuer: 'https://login.example', clientId: 'one', clientSecretFile: join(folder, 'secret') };
    const groups = [{ group: 'admins', role: 'admin' }];
    const live = new LiveConfiguration(read());
    const { view } = live;
    expect(view.signIn).toBeUndefined();
    expect(live.take(read({ signIn: { ...signIn, groups } }))).toStrictEqual([]);
    expect(view.signIn).toMatchObject({ clientId: 'one', groups });
    expect(live.take(read({ signIn: { ...signIn, clientId: 'two', groups } }))).toStrictEqual([]);
    expect(view.signIn?.clientId).toBe('two');
    expect(live.take(read())).toStrictEqual([]);
    expect(view.signIn).toBeUndefined();
    rmSync(folder, { recursive: true });
  });

  it('takes a limit, the approvals and bins with the rest', () => {
    const live = new LiveConfiguration(read());
    const approvals = { applyConfiguration: 'always' };
    const bins = [{ bin: '444433', country: 'CYP' }];
    expect(live.take(read({ rateLimit: { requestsPerSecond: 7 }, approvals, bins }))).toStrictEqual([]);
    const { rateLimit, accounts } = live.view;
    expect([rateLimit.requestsPerSecond, accounts.bins.length, live.view.approvals.applyConfiguration]).toStrictEqual([7, 1, { from: [] }]);
  });

  it.each([
    [
      'the public address',
      { publicBaseUrl: 'https://other.example' },
      ['publicBaseUrl: needs a restart, because gates and payers have addresses with the former one'],
    ],
    [
      'retention and the form of order ids',
      { retention: { unusedCardDays: 3 }, orderIds: 'text' },
      [
        'retention: needs a restart, because the times of all orders are calculated again at a start',
        'orderIds: needs a restart, because the ids of the next orders are made already',
      ],
    ],
    ['the ports of egress', { egress: { ports: [9000] } }, ['egress: needs a restart, because open connections keep their targets']],
    [
      'a removed merchant with its entry point',
      { merchants: [merchant('acme', '1001')] },
      ['merchant zeta: its removal needs a restart', 'entry point 1002 of zeta: its removal needs a restart; hold it until then'],
    ],
    ['a removed gate', { gates: FILE.gates.slice(0, 1) }, ['gate sim-b: its removal needs a restart; hold it until then']],
  ])('refuses %s by name and changes nothing', (_, changes, faults) => {
    const before = read();
    const live = new LiveConfiguration(before);
    live.onChange(() => () => {
      throw new Error('taken');
    });
    expect(live.take(read(changes))).toStrictEqual(faults);
    expect(live.current).toBe(before);
  });

  it('refuses a removed group, also if an endpoint gets its id', () => {
    const acme = merchant('acme', '1001');
    const live = new LiveConfiguration(read({ merchants: [{ ...acme, groups: [{ id: '2000', endpoints: ['1001'] }] }] }));
    expect(live.take(read({ merchants: [acme, merchant('nova', '2000')] }))).toStrictEqual([
      'group 2000 of acme: its removal needs a restart',
    ]);
  });

  it('changes nothing if a part cannot take it, and lets the parts take it only after all are prepared', () => {
    const before = read();
    const live = new LiveConfiguration(before);
    const steps: string[] = [];
    let isBroken = true;
    live.onChange(() => {
      steps.push('prepare one');
      return () => steps.push(`take one ${live.current === before ? 'before' : 'after'}`);
    });
    live.onChange(() => {
      if (isBroken) throw new Error('no room');
      steps.push('prepare two');
      return () => steps.push('take two');
    });
    expect(() => live.take(read())).toThrow('no room');
    expect([live.current === before, steps]).toStrictEqual([true, ['prepare one']]);
    isBroken = false;
    expect(live.take(read())).toStrictEqual([]);
    expect(steps).toStrictEqual(['prepare one', 'prepare one', 'prepare two', 'take one after', 'take two']);
  });
});

it('isSameSetting sees a change of a secret, a set and a nested member', () => {
  const [one, other] = [read(), read()];
  const gate = one.accounts.gate('sim-a' as GateAlias);
  expect(isSameSetting(gate, other.accounts.gate('sim-a' as GateAlias))).toBe(true);
  expect(isSameSetting(one.accounts.merchants[0], other.accounts.merchants[0])).toBe(true);
  const rotated = { ...FILE.merchants[0], controlKey: 'FF112233-4455-6677-8899-AABBCCDDEEFF' };
  expect(isSameSetting(one.accounts.merchants[0], read({ merchants: [rotated] }).accounts.merchants[0])).toBe(false);
  expect(isSameSetting(new Set(['USD']), new Set(['EUR']))).toBe(false);
  expect(isSameSetting({ a: { b: 1 } }, { a: { b: 1, c: undefined } })).toBe(false);
});
