import { Module, type DynamicModule } from '@nestjs/common';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { CardVaultModule } from '@app/card-vault/card-vault.module';
import type { Configuration, OrchestratorEnvironment } from '@app/configuration';
import { ConfigurationModule } from '@app/configuration/configuration.module';
import { DeviceVerificationModule } from '@app/device-verification/device-verification.module';
import { EventStoreModule } from '@app/event-store/event-store.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import type { ServiceLog } from '@app/http/server';
import { made, MONOTONIC, SCHEDULER, SystemModule } from '@app/kernel/injection';
import type { BootId } from '@app/kernel';
import { CvvSubmitQueue, ConcludeInBackground } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { decodeAny, openWorkUnder, orderPartitionKey } from '@app/read-models/queries';
import { PaymentModule } from '@app/payment/payment.module';
import { ReadModelsModule } from '@app/read-models/read-models.module';
import type { ThreadProgram } from '@app/read-models/thread';
import { RecurringModule } from '@app/recurring/recurring.module';
import { TransferModule } from '@app/transfer/transfer.module';
import { ApiModule } from './api.module';
import { DocumentsModule } from './documents/documents.module';
import { GatesModule } from './gates/gates.module';
import { HealthModule } from './monitoring/health.module';
import { LiveFiguresModule } from './monitoring/live-figures.module';
import { MonitoringModule } from './monitoring/monitoring.module';
import { OperatorModule } from './operator/operator.module';
import { OrderlyStop } from './orderly-stop';
import { PortsModule } from './ports.module';
import type { TestSwitches } from './test-switches';
import { RUNNING_WORK } from './worker/running-work';
import { WorkerModule } from './worker/worker.module';

interface AppSettings {
  readonly environment: OrchestratorEnvironment;
  readonly configuration: Configuration<ConfiguredGate>;
  readonly switches: TestSwitches;
  readonly log: ServiceLog;
  readonly bootId: BootId;
  /** The disk failed: it is unknown what is stored, so the process must end without another answer (safety, F25). */
  readonly onBroken: (error: Error) => void;
  readonly projectingThread?: ThreadProgram | undefined;
}

/** The stores open in this order and close in the opposite one. */
const storesOf = ({ environment, configuration, switches, onBroken, projectingThread }: AppSettings): DynamicModule[] => {
  const { commitDelayMs, groupJobsMax, silentGate, driven } = switches;
  return [
    EventStoreModule.forRoot({
      at: environment.eventStore,
      onBroken,
      ...(commitDelayMs !== undefined && { commitDelayMs }),
      ...(groupJobsMax !== undefined && { groupJobsMax }),
    }),
    CardVaultModule.forRoot({
      at: environment.vault,
      keyRingPath: environment.vaultKeyringPath,
      mayCreateKeyRing: !environment.isProduction,
      behind: EVENT_STORE,
      onBroken,
    }),
    ReadModelsModule.forRoot({
      at: environment.readModel,
      partition: environment.readModelPartition,
      partitionKey: orderPartitionKey,
      decode: decodeAny,
      openWork: openWorkUnder(configuration.retention),
      thread: projectingThread,
      onBroken,
    }),
    GatesModule.forRoot({ accounts: configuration.accounts, silentGate, faultsOf: driven?.faultsOf, onBroken }),
  ];
};

const orderlyStop = made(OrderlyStop, {
  cvvQueue: CvvSubmitQueue,
  concludeInBackground: ConcludeInBackground,
  work: RUNNING_WORK,
  monotonic: MONOTONIC,
  scheduler: SCHEDULER,
});

@Module({})
export class AppModule {
  static forRoot(settings: AppSettings): DynamicModule {
    const { environment, configuration, switches, log, bootId } = settings;
    const { roles } = environment;
    return {
      module: AppModule,
      imports: [
        SystemModule.forRoot({ bootId, failpoints: switches.failpoints, time: switches.driven?.time }),
        ConfigurationModule.forRoot(environment, configuration),
        MonitoringModule.forRoot(log),
        ...storesOf(settings),
        PortsModule,
        // Every role has every context, because a work item may belong to an order of any of them.
        PaymentModule,
        RecurringModule,
        CardRegistrationModule,
        DeviceVerificationModule,
        TransferModule,
        OrdersModule,
        WorkerModule.forRole(roles.has('worker')),
        ...(roles.has('api') ? [ApiModule] : []),
        OperatorModule,
        DocumentsModule.forRoot(roles.has('api') && configuration.documents === 'on'),
        HealthModule,
        LiveFiguresModule,
      ],
      providers: [orderlyStop],
    };
  }
}
