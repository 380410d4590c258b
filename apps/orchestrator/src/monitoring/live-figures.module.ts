import { Inject, Module } from '@nestjs/common';
import type { Accounts, OrchestratorEnvironment } from '@app/configuration';
import { ACCOUNTS, ENVIRONMENT } from '@app/configuration/configuration.module';
import { CLOCK } from '@app/kernel/injection';
import { systemScheduler, type Clock } from '@app/kernel';
import { ConfigurationService } from '@app/investigation';
import { CvvSubmitQueue, OrderSwitches, type GateCircuits } from '@app/orders';
import { GATE_CIRCUITS } from '@app/orders/orders.tokens';
import { OrdersModule } from '@app/orders/orders.module';
import { DELIVERY_WORK } from '@app/read-models/queries';
import type { ReadModel } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { watchConfiguration, watchCases, diskSpaceOf, watchDisk, watchParked } from './metrics/live-figures';
import { OperatorModule } from '../operator/operator.module';
import { ServiceMetrics } from './service-metrics';
import { RUNNING_WORK, type RunningWork } from '../worker/running-work';

@Module({ imports: [OperatorModule, OrdersModule] })
export class LiveFiguresModule {
  constructor(
    @Inject(ServiceMetrics) metrics: ServiceMetrics,
    @Inject(CvvSubmitQueue) cvvQueue: CvvSubmitQueue,
    @Inject(RUNNING_WORK) work: RunningWork,
    @Inject(READ_MODEL) readModel: ReadModel,
    @Inject(CLOCK) clock: Clock,
    @Inject(ENVIRONMENT) environment: OrchestratorEnvironment,
    @Inject(ACCOUNTS) accounts: Accounts,
    @Inject(GATE_CIRCUITS) circuits: GateCircuits,
    @Inject(OrderSwitches) switches: OrderSwitches,
    @Inject(ConfigurationService) configurations: ConfigurationService,
  ) {
    const { openCounts, reconciliationCases } = readModel;
    metrics.startAtZero(
      circuits.states().map(({ gate }) => gate),
      accounts.logins,
    );
    metrics.gates.watchCircuits(metrics.registry, () => circuits.states());
    metrics.gates.watchHolds(metrics.registry, () => switches.holds());
    watchConfiguration(metrics.registry, configurations);
    watchCases(metrics.registry, { clock, scheduler: systemScheduler, open: () => reconciliationCases.open() });
    watchDisk(metrics.registry, () => diskSpaceOf(environment.dataDir));
    watchParked(metrics.registry, { scheduler: systemScheduler, parked: (limit) => readModel.parkedStreams(limit) });
    metrics.logProofs.watch(metrics.registry, clock, () => work.logProofs?.health());
    metrics.watch(() => {
      const projections = work.projections?.health();
      return {
        cvvHeld: cvvQueue.held,
        cvvHeldMax: cvvQueue.heldMax,
        workInFlight: work.inFlight,
        workInFlightMax: work.inFlightMax,
        projectionBehindMs: projections?.behindSince === undefined ? 0 : clock.now() - projections.behindSince,
      };
    }, [
      {
        name: 'unknown_orders',
        help: 'Orders with an unknown outcome, including that of a follow-up',
        count: () => openCounts.unknownOutcomes(),
      },
      { name: 'callbacks_waiting', help: 'Callbacks not delivered yet', count: () => openCounts.openWork(DELIVERY_WORK) },
    ]);
  }
}
