import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { systemScheduler, type AttemptKey, type GateAlias } from '@app/kernel';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import { createGate, type ConfiguredGate, type GatePorts } from '@app/gateway-adapters/registry';
import { SimulatorGate, type Page, type SimulatorFaults, type SimulatorLedger, openSimulatorLedger } from '@app/gateway-adapters/simulator';
import { isSameSetting, type Accounts, type LiveConfiguration } from '@app/configuration';
import { PayerPages, encodePayerLink } from '@app/orders/http';
import type { StreamName } from '@app/event-store';
import { type NotificationAddresses, GateCircuits } from '@app/orders';
import { ENVIRONMENT, LIVE_CONFIGURATION } from '@app/configuration/configuration.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GateClients } from '@app/gateway-adapters/client';
import { GATE_LISTENER, GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { MeasuredGates, type GateListener } from '@app/gateway-adapters/measured-gates';
import { made, CLOCK, MONOTONIC, provide, SCHEDULER, token } from '@app/kernel/injection';
import { GATE_CIRCUITS } from '@app/orders/orders.tokens';
import { type SimulatorPages, SIMULATOR_PAGES } from './simulator-page.controller';
import { OrderLog } from '../monitoring/order-log';

const NEVER_ANSWERS: SimulatorFaults = { scheduler: systemScheduler, faultFor: () => ({ kind: 'silent' }) };

/** Faults of a simulated gate, by its alias. */
export type FaultsOf = (alias: string) => SimulatorFaults | undefined;

interface ConfiguredGatesParts extends Omit<GatePorts, 'bins' | 'simulator'> {
  readonly accounts: Accounts<ConfiguredGate>;
  readonly ledger: SimulatorLedger;
  readonly pages: PayerPages;
  readonly silentGate?: string | undefined;
  readonly faultsOf?: FaultsOf | undefined;
}

interface MadeGate {
  readonly settings: ConfiguredGate;
  readonly gate: Gate;
}

export class ConfiguredGates implements Gates, SimulatorPages {
  #gates: ReadonlyMap<string, MadeGate>;
  #ports: GatePorts;

  constructor({ accounts, ledger, pages, silentGate, faultsOf, ...shared }: ConfiguredGatesParts) {
    this.#ports = {
      ...shared,
      bins: accounts.bins,
      simulator: {
        ledger,
        authenticationPageUrl: (gate, key) => pages.simulatedAuthenticationUrl(gate, key),
        faultsOf: (gate) => (gate === silentGate ? NEVER_ANSWERS : faultsOf?.(gate)),
      },
    };
    this.#gates = this.#made(accounts.gates, this.#ports, new Map());
  }

  /**
   * An unchanged gate keeps its adapter, unless it looks up changed bins. A call under way ends at the adapter that began it.
   * @returns takes the new ones
   */
  prepare({ gates, bins }: Pick<Accounts<ConfiguredGate>, 'gates' | 'bins'>): () => void {
    const ports = { ...this.#ports, bins };
    const isSameBins = isSameSetting(this.#ports.bins, bins);
    const kept = [...this.#gates].filter(([, { gate }]) => isSameBins || gate.bins === undefined);
    const made = this.#made(gates, ports, new Map(kept));
    return () => {
      this.#ports = ports;
      this.#gates = made;
    };
  }

  gate(alias: GateAlias): Gate {
    const gate = this.find(alias);
    if (gate === undefined) throw new Error(`no gate is configured as ${alias}`);
    return gate;
  }

  find(alias: GateAlias): Gate | undefined {
    return this.#gates.get(alias)?.gate;
  }

  pageFor(alias: string, key: AttemptKey): Page | undefined {
    const gate = this.#gates.get(alias)?.gate;
    return gate instanceof SimulatorGate ? gate.authenticationPageFor(key) : undefined;
  }

  #made(all: readonly ConfiguredGate[], ports: GatePorts, before: ReadonlyMap<string, MadeGate>): ReadonlyMap<string, MadeGate> {
    return new Map(
      all.map((settings) => {
        const known = before.get(settings.alias);
        const gate = known !== undefined && isSameSetting(known.settings, settings) ? known.gate : createGate(settings, ports);
        return [settings.alias, { settings, gate }];
      }),
    );
  }
}

export const GATES_PATH = 'gates';

/** Addresses for notifications. They contain the order's stream and the request key, which cannot be guessed. */
export class GateAddresses implements NotificationAddresses {
  readonly #base: string;

  /** @param base public address with the path prefix, without a final slash */
  constructor(base: string) {
    this.#base = base;
  }

  notificationUrl(gate: GateAlias, stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/${GATES_PATH}/${encodeURIComponent(gate)}/${encodePayerLink(stream, key)}`;
  }
}

export const SIMULATOR_LEDGER = token<SimulatorLedger>('SIMULATOR_LEDGER');

const bothOf = (one: GateListener, other: GateListener): GateListener => ({
  began: (...call) => {
    const ended = [one.began(...call), other.began(...call)];
    return (...outcome) => ended.forEach((tell) => tell(...outcome));
  },
});

interface GatesModuleSettings {
  readonly accounts: Accounts<ConfiguredGate>;
  /** Alias of a gate that never answers, for measurements. */
  readonly silentGate: string | undefined;
  readonly faultsOf?: FaultsOf | undefined;
  readonly onBroken: (error: Error) => void;
}

@Module({})
export class GatesModule implements OnApplicationShutdown {
  constructor(
    @Inject(GateClients) private readonly clients: GateClients,
    @Inject(SIMULATOR_LEDGER) private readonly ledger: SimulatorLedger,
    @Inject(LIVE_CONFIGURATION) live: LiveConfiguration,
    @Inject(ConfiguredGates) gates: ConfiguredGates,
    @Inject(GATE_CIRCUITS) circuits: GateCircuits,
  ) {
    live.onChange(({ accounts }) => gates.prepare(accounts as Accounts<ConfiguredGate>));
    live.onChange(
      ({ accounts }) =>
        () =>
          circuits.take(accounts.gates),
    );
  }

  static forRoot({ accounts, silentGate, faultsOf, onBroken }: GatesModuleSettings): DynamicModule {
    const providers = [
      provide(SIMULATOR_LEDGER, { environment: ENVIRONMENT, openBefore: EVENT_STORE }, ({ environment }) =>
        openSimulatorLedger(environment.simulatorLedgerPath, { onBroken }),
      ),
      made(GateClients, { monotonic: MONOTONIC, scheduler: SCHEDULER }),
      provide(
        ConfiguredGates,
        { ledger: SIMULATOR_LEDGER, clients: GateClients, pages: PayerPages, clock: CLOCK, monotonic: MONOTONIC, scheduler: SCHEDULER },
        (parts) => new ConfiguredGates({ accounts, silentGate, faultsOf, ...parts }),
      ),
      provide(
        GATE_CIRCUITS,
        { clock: CLOCK, monotonic: MONOTONIC, orderLog: OrderLog },
        ({ orderLog, ...ports }) => new GateCircuits(accounts.gates, { ...ports, onTurn: (turn) => orderLog.circuitTurned(turn) }),
      ),
      provide(
        GATES,
        { gates: ConfiguredGates, listener: GATE_LISTENER, circuits: GATE_CIRCUITS },
        ({ gates, listener, circuits }) => new MeasuredGates(gates, bothOf(listener, circuits)),
      ),
      { provide: SIMULATOR_PAGES, useExisting: ConfiguredGates },
    ];
    return { module: GatesModule, global: true, providers, exports: [GATES, GATE_CIRCUITS, SIMULATOR_PAGES] };
  }

  /** Calls that are still open end as unknown outcomes, and are inquired about after the next start. */
  async onApplicationShutdown(): Promise<void> {
    await this.clients.close(0);
    await this.ledger.close();
  }
}
