import { configurationFrom } from '@app/configuration';
import { GateClients } from '@app/gateway-adapters/client';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { GateAlias } from '@app/kernel';
import { PayerPages } from '@app/orders/http';
import { VirtualClock } from '@app/testing';
import { ConfiguredGates } from './gates.module';

const [A, B] = ['sim-a', 'sim-b'] as [GateAlias, GateAlias];
const accountsWith = (gates: readonly object[], bins: readonly object[] = []) => {
  const text = JSON.stringify({
    merchants: [
      { login: 'acme', controlKey: '00112233-4455-6677-8899-AABBCCDDEEFF', endpoints: [{ id: '1001', currency: 'USD', gates: [A] }] },
    ],
    gates,
    bins,
  });
  return configurationFrom(text, { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS }).accounts;
};
const simulated = (alias: GateAlias, more: object = {}) => ({ alias, adapter: 'simulator', currencies: ['USD'], ...more });

const UPSTREAM = 'paynet-a' as GateAlias;
const upstream = {
  alias: UPSTREAM,
  adapter: 'paynet',
  currencies: ['USD'],
  controlKey: 'ab'.repeat(16),
  codes: { 3: 'declined' },
  upstream: { baseUrl: 'https://upstream.example/paynet', login: 'acme', endpoint: '7001' },
};

it('ConfiguredGates makes adapters of new and changed gates, and for changed bins, when the change is taken, and keeps the others', () => {
  const clock = new VirtualClock();
  const gates = new ConfiguredGates({
    accounts: accountsWith([simulated(A), upstream]),
    ledger: {} as SimulatorLedger,
    pages: new PayerPages('https://pay.example'),
    clients: new GateClients({ monotonic: clock, scheduler: clock }),
    clock,
    monotonic: clock,
    scheduler: clock,
  });
  const [first, second] = [gates.gate(A), gates.gate(UPSTREAM)];
  const take = gates.prepare(accountsWith([simulated(A), simulated(B), upstream]));
  expect(gates.find(B)).toBeUndefined();
  take();
  expect([gates.gate(A) === first, gates.gate(B).profile.alias]).toStrictEqual([true, B]);
  gates.prepare(accountsWith([simulated(A, { descriptor: 'OTHER' }), simulated(B), upstream]))();
  expect(gates.gate(A)).not.toBe(first);
  const third = gates.gate(A);
  gates.prepare(accountsWith([simulated(A, { descriptor: 'OTHER' }), upstream], [{ bin: '444433', country: 'CYP' }]))();
  expect([third.bins?.binFacts('444433'), gates.gate(A).bins?.binFacts('444433')?.country]).toStrictEqual([undefined, 'CYP']);
  expect(gates.gate(UPSTREAM)).toBe(second);
});
