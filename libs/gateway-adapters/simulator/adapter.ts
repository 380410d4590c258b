import type { AttemptKey, Clock } from '@app/kernel';
import type { GateAdapter, GateCapability } from '../contract';
import type { SimulatorFaults } from './faults';
import type { SimulatorLedger } from './ledger/ledger';
import { type SimulatedBin, simulatorSettings } from './settings.schema';
import { settlementFormat } from './settlement-format';
import { SimulatorGate } from './simulator-gate';

export interface SimulatorPorts {
  readonly clock: Clock;
  readonly bins: readonly SimulatedBin[];
  readonly simulator: {
    readonly ledger: SimulatorLedger;
    authenticationPageUrl(gate: string, key: AttemptKey): string;
    faultsOf(gate: string): SimulatorFaults | undefined;
  };
}

const CAPABILITIES = [
  'charging',
  'authorising',
  'verifying',
  'transferring',
  'quoting',
  'capturing',
  'returning',
  'voiding',
  'inquiring',
  'payerAuthentication',
  'bins',
  'rebilling',
  'registering',
] as const satisfies readonly GateCapability[];

export const simulatorAdapter: GateAdapter<
  'simulator',
  typeof simulatorSettings,
  Record<never, never>,
  SimulatorPorts,
  (typeof CAPABILITIES)[number]
> = {
  name: 'simulator',
  isSimulated: true,
  settings: simulatorSettings,
  secrets: {},
  capabilities: CAPABILITIES,
  settlement: settlementFormat,
  create: (settings, { clock, bins, simulator }) => {
    const { alias } = settings;
    const faults = simulator.faultsOf(alias);
    return new SimulatorGate({
      settings,
      bins,
      clock,
      ledger: simulator.ledger,
      authenticationPageUrl: (key) => simulator.authenticationPageUrl(alias, key),
      ...(faults !== undefined && { faults }),
    });
  },
};
