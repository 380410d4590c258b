import { systemScheduler, type AttemptKey, type Clock, type GateAlias } from '@app/kernel';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import { SimulatorGate, type Page, type SimulatorFaults, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { Accounts } from '@app/configuration';
import type { PayerPages } from '../payer/payer-pages';
import type { SimulatorPages } from '../payer/simulator-page.controller';

const SILENT: SimulatorFaults = { scheduler: systemScheduler, faultFor: () => ({ kind: 'silent' }) };

/** The configured gates, each behind its adapter. */
export class ConfiguredGates implements Gates, SimulatorPages {
  readonly #simulators: ReadonlyMap<string, SimulatorGate>;

  /** @param silent the alias of one that never answers: for measurements */
  constructor(accounts: Accounts, ledger: SimulatorLedger, pages: PayerPages, clock: Clock, silent?: string) {
    this.#simulators = new Map(
      accounts.gates.map((settings) => {
        const authenticationPageUrl = (key: AttemptKey): string => pages.simulatedAuthenticationUrl(settings.alias, key);
        const faults = settings.alias === silent ? { faults: SILENT } : {};
        return [settings.alias, new SimulatorGate({ settings, bins: accounts.bins, clock, ledger, authenticationPageUrl, ...faults })];
      }),
    );
  }

  gate(alias: GateAlias): Gate {
    const gate = this.find(alias);
    if (gate === undefined) throw new Error(`no gate is configured as ${alias}`);
    return gate;
  }

  find(alias: GateAlias): Gate | undefined {
    return this.#simulators.get(alias);
  }

  pageFor(alias: string, key: AttemptKey): Page | undefined {
    return this.#simulators.get(alias)?.authenticationPageFor(key);
  }
}
