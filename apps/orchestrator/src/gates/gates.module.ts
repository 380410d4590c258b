import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Accounts } from '@app/configuration';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GateClients } from '@app/gateway-adapters/client';
import { GATE_WATCH, GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { MeasuredGates, type GateWatch } from '@app/gateway-adapters/measured-gates';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { openSimulatorLedger, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import { CLOCK, MONOTONIC, provide, SCHEDULER, token } from '@app/kernel/injection';
import { GateCircuits } from '@app/orders';
import { GATE_CIRCUITS } from '@app/orders/orders.tokens';
import { PayerPages } from '@app/orders/http';
import { OrderLog } from '../monitoring/order-log';
import { ConfiguredGates } from './configured-gates';
import { SIMULATOR_PAGES } from './simulator-page.controller';

/** The simulator's own book, which is no part of the service. */
export const SIMULATOR_LEDGER = token<SimulatorLedger>('SIMULATOR_LEDGER');

const bothOf = (one: GateWatch, other: GateWatch): GateWatch => ({
  began: (...call) => {
    const ended = [one.began(...call), other.began(...call)];
    return (...outcome) => ended.forEach((tell) => tell(...outcome));
  },
});

export interface GatesModuleSettings {
  readonly accounts: Accounts<ConfiguredGate>;
  /** The alias of a gate that never answers, for measurements. */
  readonly silentGate: string | undefined;
  /** Called once where the disk fails under the simulator's ledger. */
  readonly onBroken: (error: Error) => void;
}

/** The configured gates, each made by its adapter, with metrics of its calls. */
@Module({})
export class GatesModule implements OnApplicationShutdown {
  constructor(
    @Inject(GateClients) private readonly clients: GateClients,
    @Inject(SIMULATOR_LEDGER) private readonly ledger: SimulatorLedger,
  ) {}

  static forRoot({ accounts, silentGate, onBroken }: GatesModuleSettings): DynamicModule {
    const providers = [
      provide(SIMULATOR_LEDGER, { environment: ENVIRONMENT, openBefore: EVENT_STORE }, ({ environment }) =>
        openSimulatorLedger(environment.simulatorLedgerPath, { onBroken }),
      ),
      provide(GateClients, { monotonic: MONOTONIC, scheduler: SCHEDULER }, (parts) => new GateClients(parts)),
      provide(
        ConfiguredGates,
        { ledger: SIMULATOR_LEDGER, clients: GateClients, pages: PayerPages, clock: CLOCK, monotonic: MONOTONIC, scheduler: SCHEDULER },
        (parts) => new ConfiguredGates({ accounts, silentGate, ...parts }),
      ),
      provide(
        GATE_CIRCUITS,
        { clock: CLOCK, monotonic: MONOTONIC, orderLog: OrderLog },
        ({ orderLog, ...ports }) => new GateCircuits(accounts.gates, { ...ports, onTurn: (turn) => orderLog.circuitTurned(turn) }),
      ),
      provide(
        GATES,
        { gates: ConfiguredGates, watch: GATE_WATCH, circuits: GATE_CIRCUITS },
        ({ gates, watch, circuits }) => new MeasuredGates(gates, bothOf(watch, circuits)),
      ),
      { provide: SIMULATOR_PAGES, useExisting: ConfiguredGates },
    ];
    return { module: GatesModule, global: true, providers, exports: [GATES, GATE_CIRCUITS, SIMULATOR_PAGES] };
  }

  /** What still waits for a gate now has had its time: its outcome stays unknown, and is inquired after the next start. */
  async onApplicationShutdown(): Promise<void> {
    await this.clients.close(0);
    await this.ledger.close();
  }
}
