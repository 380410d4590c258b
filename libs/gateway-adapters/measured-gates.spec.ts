import type { GateAlias } from '@app/kernel';
import type { Gate, Gates } from './contract';
import { MeasuredGates } from './measured-gates';

const SIM = 'sim-a' as GateAlias;
const CALLS = {
  charging: ['charge', 'charge'],
  authorising: ['authorise', 'authorise'],
  verifying: ['verify', 'verify'],
  transferring: ['transfer', 'transfer'],
  quoting: ['quote', 'quote'],
  capturing: ['capture', 'capture'],
  returning: ['refund', 'return'],
  voiding: ['void', 'void'],
  inquiring: ['inquire', 'inquire'],
  payerAuthentication: ['complete', 'complete'],
  rebilling: ['rebill', 'rebill'],
  registering: ['register', 'register'],
} as const;
type Capability = keyof typeof CALLS;
type Method = (...asked: unknown[]) => Promise<unknown>;

/** An adapter may implement its capabilities as getters of one object. */
class Adapter {
  readonly profile = { alias: SIM };
  readonly answered = { kind: 'approved' };
  asked: unknown[] = [];
  isFaulty = false;
  readonly bins = { binFacts: () => undefined };
  readonly listening = { listen: this.#answer.bind(this) };
  constructor() {
    for (const capability of Object.keys(CALLS)) Object.defineProperty(this, capability, { get: () => this });
  }
  async #answer(...asked: unknown[]): Promise<unknown> {
    this.asked = asked;
    if (this.isFaulty) throw new Error('a fault of the adapter');
    return this.answered;
  }
  charge = (...asked: unknown[]): Promise<unknown> => this.#answer(...asked);
  authorise = this.charge;
  verify = this.charge;
  transfer = this.charge;
  quote = this.charge;
  capture = this.charge;
  refund = this.charge;
  void = this.charge;
  inquire(...asked: unknown[]): Promise<unknown> {
    return this.#answer(...asked);
  }
  complete = this.charge;
  readonly means = ['token'];
  rebill = this.charge;
  register = this.charge;
  voidableUntil(at: number): number {
    return at + 1;
  }
}

const measured = (adapter: unknown) => {
  const told: string[] = [];
  const gates: Gates = {
    gate: (alias) => {
      if (alias !== SIM) throw new Error(`no gate is configured as ${alias}`);
      return adapter as Gate;
    },
    find: (alias) => (alias === SIM ? (adapter as Gate) : undefined),
  };
  const listener = {
    began: (gate: string, call: string) => {
      told.push(`${gate} ${call}`);
      return (outcome: string) => void told.push(`${gate} ${call} ${outcome}`);
    },
  };
  return { told, gates: new MeasuredGates(gates, listener) };
};

describe('a measured gate', () => {
  it.each(Object.entries(CALLS))(
    '%s: forwards the arguments and records the start and the outcome of the call',
    async (capability, [method, call]) => {
      const adapter = new Adapter();
      const { told, gates } = measured(adapter);
      const ask = (...asked: unknown[]): Promise<unknown> =>
        (gates.gate(SIM)[capability as Capability] as unknown as Record<string, Method>)[method]?.(...asked) ??
        Promise.reject(new Error('cannot'));
      await expect(ask('a', 'b', 'c')).resolves.toBe(adapter.answered);
      expect(adapter.asked).toStrictEqual(['a', 'b', 'c']);
      adapter.isFaulty = true;
      await expect(ask()).rejects.toThrow('a fault of the adapter');
      expect(told).toStrictEqual([`sim-a ${call}`, `sim-a ${call} approved`, `sim-a ${call}`, `sim-a ${call} failed`]);
    },
  );

  it('has exactly the capabilities of the gate', () => {
    const { gates } = measured({ profile: { alias: SIM }, inquiring: { inquire: () => Promise.reject(new Error('away')) } });
    expect(Object.keys(gates.gate(SIM)).sort()).toStrictEqual(['inquiring', 'profile']);
    const all = measured(new Adapter()).gates.gate(SIM);
    expect(Object.keys(all).sort()).toStrictEqual([...Object.keys(CALLS), 'bins', 'listening', 'profile'].sort());
    expect(all.voiding?.voidableUntil(1 as never)).toBe(2);
    expect(all.rebilling?.means).toStrictEqual(['token']);
  });

  it('forwards notifications to the gate without recording a call', async () => {
    const adapter = new Adapter();
    const { told, gates } = measured(adapter);
    await expect(gates.gate(SIM).listening?.listen('heard' as never)).resolves.toBe(adapter.answered);
    expect(adapter.asked).toStrictEqual(['heard']);
    expect(told).toStrictEqual([]);
  });

  it('is the same object on each lookup and throws for an unknown alias', () => {
    const { gates } = measured(new Adapter());
    expect(gates.find(SIM)).toBe(gates.gate(SIM));
    expect(gates.find('sim-b' as GateAlias)).toBeUndefined();
    expect(() => gates.gate('sim-b' as GateAlias)).toThrow('no gate is configured as sim-b');
  });
});
