import type { AdapterSchema, GateSettingsOf } from '@app/configuration/gates';
import type { Gate, SettlementFormat } from './contract';
import { paynetAdapter } from './paynet';
import { simulatorAdapter } from './simulator';

type AnyAdapter = AdapterSchema & { readonly settlement?: SettlementFormat; create(settings: never, ports: never): Gate };
/** The ports of all these adapters together. */
type PortsOf<Adapter extends AnyAdapter> = (
  Adapter extends { create(settings: never, ports: infer Ports): Gate } ? (ports: Ports) => void : never
) extends (ports: infer All) => void
  ? All
  : never;

/** Makes a gate by the adapter that its settings name. */
export const gateFactory =
  <const Adapters extends readonly AnyAdapter[]>(adapters: Adapters) =>
  (settings: GateSettingsOf<Adapters[number]>, ports: PortsOf<Adapters[number]>): Gate => {
    const adapter = adapters.find(({ name }) => name === settings.adapter);
    if (adapter === undefined) throw new Error(`no adapter is called ${settings.adapter}`);
    // By its name these are the settings of this adapter, and the ports of all adapters are its own too.
    return adapter.create(settings as never, ports as never);
  };

/** Every adapter that a gate of the configuration can name, in the order in which a configuration fault lists them. */
export const GATE_ADAPTERS = [simulatorAdapter, paynetAdapter] as const;

/** The settings of one gate: a union by `adapter`. */
export type ConfiguredGate = GateSettingsOf<(typeof GATE_ADAPTERS)[number]>;
/** The ports that the application provides so that gates can be made. */
export type GatePorts = PortsOf<(typeof GATE_ADAPTERS)[number]>;

/** How the settlement files of this adapter's gates read; undefined where they send none. */
export const settlementFormatOf = (adapter: ConfiguredGate['adapter']): SettlementFormat | undefined =>
  (GATE_ADAPTERS as readonly AnyAdapter[]).find(({ name }) => name === adapter)?.settlement;

export const createGate = gateFactory(GATE_ADAPTERS);
