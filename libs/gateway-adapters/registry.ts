import type { AdapterSchema, GateSettingsOf } from '@app/configuration/gates';
import type { Gate, SettlementFormat } from './contract';
import { paynetAdapter } from './paynet';
import { simulatorAdapter } from './simulator';

type AnyAdapter = AdapterSchema & { readonly settlement?: SettlementFormat; create(settings: never, ports: never): Gate };
type PortsOf<Adapter extends AnyAdapter> = (
  Adapter extends { create(settings: never, ports: infer Ports): Gate } ? (ports: Ports) => void : never
) extends (ports: infer All) => void
  ? All
  : never;

export const gateFactory =
  <const Adapters extends readonly AnyAdapter[]>(adapters: Adapters) =>
  (settings: GateSettingsOf<Adapters[number]>, ports: PortsOf<Adapters[number]>): Gate => {
    const adapter = adapters.find(({ name }) => name === settings.adapter);
    if (adapter === undefined) throw new Error(`no adapter is called ${settings.adapter}`);
    // Safe: the settings matched this adapter's name, and `ports` contains the ports of all adapters.
    return adapter.create(settings as never, ports as never);
  };

/** The order is that of the list in a configuration fault. */
export const GATE_ADAPTERS = [simulatorAdapter, paynetAdapter] as const;

export type ConfiguredGate = GateSettingsOf<(typeof GATE_ADAPTERS)[number]>;
export type GatePorts = PortsOf<(typeof GATE_ADAPTERS)[number]>;

export const settlementFormatOf = (adapter: ConfiguredGate['adapter']): SettlementFormat | undefined =>
  (GATE_ADAPTERS as readonly AnyAdapter[]).find(({ name }) => name === adapter)?.settlement;

export const createGate = gateFactory(GATE_ADAPTERS);
