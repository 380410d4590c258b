import { configurationFrom } from '@app/configuration';
import { GateClients } from '@app/gateway-adapters/client';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { GateAlias } from '@app/kernel';
import { PayerPages } from '@app/orders/http';
import { VirtualClock } from '@app/testing';
import { ConfiguredGates } from './gates.module';

const [A, B] = ['sim-a', 'sim-b'] as [GateAlias, GateAlias];
const accountsWith = (...gates: readonly object[]) => {
  const text = JSON.stringify({
    merchants: [
      { login: 'acme', controlKey: '00112233-4455-6677-8899-AABBCCDDEEFF', endpoints: [{ id: '1001', currency: 'USD', gates: [A] }] },
    ],
    gates,
  });
  return configurationFrom(text, { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS }).accounts;
};
const simulated = (alias: GateAlias, more: object = {}) => ({ alias, adapter: 'simulator', currencies: ['USD'], ...more });

it('ConfiguredGates makes adapters of new and changed gates when the change is taken, and keeps the others', () => {
  const clock = new VirtualClock();
  const gates = new ConfiguredGates({
    accounts: accountsWith(simulated(A)),
    ledger: {} as SimulatorLedger,
    pages: new PayerPages('https://pay.example'),
    clients: new GateClients({ monotonic: clock, scheduler: clock }),
    clock,
    monotonic: clock,
    scheduler: clock,
  });
  const first = gates.gate(A);
  const take = gates.prepare(accountsWith(simulated(A), simulated(B)));
  expect(gates.find(B)).toBeUndefined();
  take();
  expect([gates.gate(A) === first, gates.gate(B).profile.alias]).toStrictEqual([true, B]);
  gates.prepare(accountsWith(simulated(A, { descriptor: 'OTHER' }), simulated(B)))();
  expect(gates.gate(A)).not.toBe(first);
});
