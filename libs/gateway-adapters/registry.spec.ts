import { configurationFrom } from '@app/configuration';
import type { Gate, GateAdapter } from './contract';
import { createGate, GATE_ADAPTERS, gateFactory, type GatePorts } from './registry';
import { SimulatorGate, type SimulatorLedger } from './simulator';
import { VirtualClock } from '@app/testing';

const settingsOf = (gate: object) => {
  const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }] }];
  const gates = [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], ...gate }];
  const at = { source: 'test.json', folder: '/', environment: {}, adapters: GATE_ADAPTERS };
  return configurationFrom(JSON.stringify({ merchants, gates }), at).accounts.gates[0];
};
const ports: GatePorts = {
  clock: new VirtualClock(),
  bins: [],
  simulator: { ledger: {} as SimulatorLedger, authenticationPageUrl: () => '', faultsOf: () => undefined },
};
const abilitiesOf = (gate: Gate): readonly string[] => {
  const members: Readonly<Record<string, unknown>> = { ...gate };
  return Object.keys(members).filter((name) => name !== 'profile' && members[name] !== undefined);
};

describe('the registry of gate adapters', () => {
  it('names no two adapters alike', () => {
    expect(new Set(GATE_ADAPTERS.map(({ name }) => name)).size).toBe(GATE_ADAPTERS.length);
  });

  it('makes a gate with the configured profile', () => {
    const gate = createGate(settingsOf({ threeDSecure: true, longestFlightSeconds: 7 }), ports);
    expect(gate).toBeInstanceOf(SimulatorGate);
    expect(gate.profile).toMatchObject({
      alias: 'sim-a',
      currencies: ['USD'],
      threeDSecure: true,
      longestFlightMs: 7_000,
      descriptor: 'sim-a',
    });
  });

  it('gives the simulator the capabilities that its adapter names; payers only where 3-D Secure is on', () => {
    const [{ capabilities }] = GATE_ADAPTERS;
    expect(new Set(abilitiesOf(createGate(settingsOf({ threeDSecure: true }), ports)))).toEqual(new Set(capabilities));
    const without = capabilities.filter((name) => name !== 'payerAuthentication');
    expect(new Set(abilitiesOf(createGate(settingsOf({}), ports)))).toEqual(new Set(without));
  });

  it('asks the adapter that the settings name, and no other', () => {
    const other: GateAdapter<'other', Record<never, never>, { readonly made: string[] }, 'charging'> = {
      name: 'other',
      settings: {},
      capabilities: ['charging'],
      create: ({ alias, ...rest }, { made }) => {
        made.push(alias);
        return { profile: { ...rest, alias, currencies: [...rest.currencies] } };
      },
    };
    const made: string[] = [];
    const create = gateFactory([...GATE_ADAPTERS, other]);
    const simulated = settingsOf({});
    expect(create(simulated, { ...ports, made })).toBeInstanceOf(SimulatorGate);
    expect(made).toEqual([]);
    const { simulate: _, ...common } = simulated;
    expect(create({ ...common, adapter: 'other' }, { ...ports, made }).charging).toBeUndefined();
    expect(made).toEqual(['sim-a']);
  });
});
