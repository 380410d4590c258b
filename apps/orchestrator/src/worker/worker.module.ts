import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { LogProofsModule } from '@app/investigation/log-proofs.module';
import { LOG_PROOFS } from '@app/investigation/log-proofs.tokens';
import { KeepGateToken } from '@app/card-registration';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { DeliverCallbackReactor } from '@app/callbacks';
import { DeliveriesModule } from '@app/callbacks/deliveries.module';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { EraseOrder, hasRules, RetainOrder } from '@app/investigation/erasure';
import { BackgroundThrottle, StreamCopies } from '@app/event-store';
import { EVENT_STORE, IS_LOG_SHARED } from '@app/event-store/event-store.tokens';
import { made, CLOCK, FAILPOINTS, MONOTONIC, provide, SCHEDULER } from '@app/kernel/injection';
import { GateCapacity, SweepOwnerlessCards, WorkFollowUp, WorkOrder } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { ORDERS_LISTENER } from '@app/orders/orders.tokens';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { ProjectionSignal } from '../monitoring/order-log';
import { NO_WORK, RUNNING_WORK, type RunningWork } from './running-work';
import { Workers, WORKERS_LISTENER } from './workers';

const workers = provide(
  RUNNING_WORK,
  {
    store: EVENT_STORE,
    isShared: IS_LOG_SHARED,
    copies: StreamCopies,
    readModel: READ_MODEL,
    logProofs: LOG_PROOFS,
    workOrder: WorkOrder,
    workFollowUp: WorkFollowUp,
    room: GateCapacity,
    sweeper: SweepOwnerlessCards,
    deliver: DeliverCallbackReactor,
    keepGateToken: KeepGateToken,
    erasing: EraseOrder,
    vault: CARD_VAULT,
    retaining: RetainOrder,
    configuration: CONFIGURATION,
    news: ProjectionSignal,
    throttle: BackgroundThrottle,
    clock: CLOCK,
    monotonic: MONOTONIC,
    scheduler: SCHEDULER,
    failpoints: FAILPOINTS,
    orderListener: ORDERS_LISTENER,
    listener: WORKERS_LISTENER,
  },
  ({ configuration, retaining, ...ports }) => new Workers({ ...ports, ...(hasRules(configuration.retention) && { retaining }) }),
);

const throttle = made(BackgroundThrottle, { monotonic: MONOTONIC });

@Module({})
export class WorkerModule implements OnApplicationBootstrap {
  constructor(@Inject(RUNNING_WORK) private readonly work: RunningWork) {}

  /** @param isWorking false in a process that only serves requests */
  static forRole(isWorking: boolean): DynamicModule {
    const idle = { provide: RUNNING_WORK, useValue: NO_WORK };
    if (!isWorking) return { module: WorkerModule, global: true, providers: [idle], exports: [RUNNING_WORK] };
    const imports = [LogProofsModule, OrdersModule, DeliveriesModule, CardRegistrationModule];
    return { module: WorkerModule, global: true, imports, providers: [workers, throttle], exports: [RUNNING_WORK, BackgroundThrottle] };
  }

  onApplicationBootstrap(): Promise<void> {
    return this.work.start();
  }
}
