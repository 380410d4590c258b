import { configurationFrom } from '@app/configuration';
import type { AdapterSchema } from '@app/configuration/gates';
import type { NonEmpty } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { Gate, GateAdapter } from './contract';
import { GateClients } from './client';
import { createGate, GATE_ADAPTERS, gateFactory, type ConfiguredGate, type GatePorts } from './registry';
import { paynetAdapter } from './paynet';
import { simulatorAdapter, SimulatorGate, type SimulatorLedger } from './simulator';

const settingsOf = <const Adapters extends NonEmpty<AdapterSchema>>(adapters: Adapters, gate: object) => {
  const endpoints = [{ id: '1001', currency: 'USD', gates: ['one'] }];
  const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints }];
  const gates = [{ alias: 'one', currencies: ['USD'], ...gate }];
  const at = { source: 'test.json', folder: '/', environment: {}, adapters };
  return configurationFrom(JSON.stringify({ merchants, gates }), at).accounts.gates[0];
};
const simulated = (gate: object = {}) => settingsOf([simulatorAdapter], { adapter: 'simulator', ...gate });
const upstream = { baseUrl: 'https://upstream.example/paynet', login: 'acme', endpoint: '7001' };

interface Gates {
  readonly adapter: (typeof GATE_ADAPTERS)[number];
  /** The required keys. */
  readonly least: object;
  /** Keys that enable every capability, and the capabilities missing without them. */
  readonly most: object;
  readonly turnedOff: readonly string[];
}

/** Each registered adapter with its smallest and largest configuration. */
const GATES: Readonly<Record<ConfiguredGate['adapter'], Gates>> = {
  simulator: {
    adapter: simulatorAdapter,
    least: {},
    most: { threeDSecure: true, tokens: 'registration' },
    turnedOff: ['payerAuthentication', 'rebilling', 'registering'],
  },
  paynet: {
    adapter: paynetAdapter,
    least: { controlKey: 'cd'.repeat(16), upstream },
    most: {
      threeDSecure: true,
      idempotencyKeys: true,
      callbacks: true,
      cardRegistration: 'v2',
      upstream: { ...upstream, device: { endpoint: '7002' } },
    },
    turnedOff: ['payerAuthentication', 'repeating', 'listening', 'rebilling', 'registering', 'transferring', 'choosing'],
  },
};
const clock = new VirtualClock();
const ports: GatePorts = {
  clock,
  monotonic: clock,
  scheduler: clock,
  clients: new GateClients({ monotonic: clock, scheduler: clock }),
  bins: [],
  simulator: { ledger: {} as SimulatorLedger, authenticationPageUrl: () => '', faultsOf: () => undefined },
};
const capabilitiesOf = (gate: Gate): readonly string[] => {
  const members: Readonly<Record<string, unknown>> = { ...gate };
  return Object.keys(members).filter((name) => name !== 'profile' && members[name] !== undefined);
};

const other: GateAdapter<'other', Record<never, never>, Record<never, never>, { readonly made: string[] }, 'charging'> = {
  name: 'other',
  settings: {},
  secrets: {},
  capabilities: ['charging'],
  create: ({ currencies, ...rest }, { made }) => {
    made.push(rest.alias);
    return { profile: { ...rest, currencies: [...currencies], needsTexts: false } };
  },
};

describe('the registry of gate adapters', () => {
  it('has distinct adapter names', () => {
    expect(new Set(GATE_ADAPTERS.map(({ name }) => name)).size).toBe(GATE_ADAPTERS.length);
  });

  it('makes a gate with the configured profile', () => {
    const gate = createGate(simulated({ threeDSecure: true, longestFlightSeconds: 7 }), ports);
    expect(gate).toBeInstanceOf(SimulatorGate);
    expect(gate.profile).toMatchObject({
      alias: 'one',
      currencies: ['USD'],
      threeDSecure: true,
      longestFlightMs: 7_000,
      descriptor: 'one',
    });
  });

  it.each(GATE_ADAPTERS)(
    'creates a gate of $name with its declared capabilities, except those that settings disable',
    ({ name, capabilities }) => {
      const { adapter, least, most, turnedOff } = GATES[name];
      const made = (gate: object): readonly string[] =>
        capabilitiesOf(createGate(settingsOf([adapter], { adapter: name, ...gate }), ports));
      expect(new Set(made({ ...least, ...most }))).toEqual(new Set(capabilities));
      expect(new Set(made(least))).toEqual(new Set(capabilities.filter((capability) => !turnedOff.includes(capability))));
    },
  );

  it('rejects create-card-ref v4 without a signing key', () => {
    const settings = settingsOf([paynetAdapter], { adapter: 'paynet', controlKey: 'cd'.repeat(16), upstream, cardRegistration: 'v4' });
    expect(() => createGate(settings, ports)).toThrow('gate one: cardRegistration v4 needs an oauthPrivateKeyFile');
  });

  it('rejects an invalid callback secret without repeating it', () => {
    const gate = { adapter: 'paynet', controlKey: 'cd'.repeat(16), upstream, callbackSecret: 'whsec_short' };
    const fault = (): unknown => settingsOf([paynetAdapter], gate);
    expect(fault).toThrow(/gates\[0\]\.callbackSecret.*whsec_ and base64 of 24 to 64 bytes/s);
    expect(fault).not.toThrow(/short/);
  });

  it('creates the gate only with the adapter named in the settings', () => {
    const made: string[] = [];
    const create = gateFactory([simulatorAdapter, other]);
    expect(create(simulated(), { ...ports, made })).toBeInstanceOf(SimulatorGate);
    expect(made).toEqual([]);
    expect(create(settingsOf([other], { adapter: 'other' }), { ...ports, made })).not.toBeInstanceOf(SimulatorGate);
    expect(made).toEqual(['one']);
  });

  it('rejects settings with an unknown adapter', () => {
    const create = gateFactory([other]);
    expect(() => create({ ...settingsOf([other], { adapter: 'other' }), adapter: 'another' as 'other' }, { made: [] })).toThrow(
      'no adapter is called another',
    );
  });
});
