import { systemScheduler, type AttemptKey, type GateAlias } from '@app/kernel';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import { createGate, type ConfiguredGate, type GatePorts } from '@app/gateway-adapters/registry';
import { SimulatorGate, type Page, type SimulatorFaults, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { Accounts } from '@app/configuration';
import type { PayerPages } from '@app/orders/http';
import type { SimulatorPages } from './simulator-page.controller';

const NEVER_ANSWERS: SimulatorFaults = { scheduler: systemScheduler, faultFor: () => ({ kind: 'silent' }) };

export interface ConfiguredGatesParts extends Omit<GatePorts, 'bins' | 'simulator'> {
  readonly accounts: Accounts<ConfiguredGate>;
  readonly ledger: SimulatorLedger;
  readonly pages: PayerPages;
  /** The alias of a gate that never answers, for measurements. */
  readonly silentGate?: string | undefined;
}

/** The configured gates, each made by the adapter that its settings name. */
export class ConfiguredGates implements Gates, SimulatorPages {
  readonly #gates: ReadonlyMap<string, Gate>;

  constructor({ accounts, ledger, pages, silentGate, ...shared }: ConfiguredGatesParts) {
    const ports: GatePorts = {
      ...shared,
      bins: accounts.bins,
      simulator: {
        ledger,
        authenticationPageUrl: (gate, key) => pages.simulatedAuthenticationUrl(gate, key),
        faultsOf: (gate) => (gate === silentGate ? NEVER_ANSWERS : undefined),
      },
    };
    this.#gates = new Map(accounts.gates.map((settings) => [settings.alias, createGate(settings, ports)]));
  }

  gate(alias: GateAlias): Gate {
    const gate = this.find(alias);
    if (gate === undefined) throw new Error(`no gate is configured as ${alias}`);
    return gate;
  }

  find(alias: GateAlias): Gate | undefined {
    return this.#gates.get(alias);
  }

  pageFor(alias: string, key: AttemptKey): Page | undefined {
    const gate = this.#gates.get(alias);
    return gate instanceof SimulatorGate ? gate.authenticationPageFor(key) : undefined;
  }
}
