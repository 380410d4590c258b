import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { made, CLOCK, SCHEDULER } from '@app/kernel/injection';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { SERVICE_LOG } from '@app/http/server/service-log.tokens';
import { HEALTH, HealthController } from './health.controller';
import { RUNNING_WORK } from '../worker/running-work';
import { ServiceHealth } from './service-health';

/** The service is ready after everything has started, and until its shutdown begins. */
@Module({
  controllers: [HealthController],
  providers: [
    made(ServiceHealth, {
      store: EVENT_STORE,
      vault: CARD_VAULT,
      readModel: READ_MODEL,
      work: RUNNING_WORK,
      clock: CLOCK,
      scheduler: SCHEDULER,
      log: SERVICE_LOG,
    }),
    { provide: HEALTH, useExisting: ServiceHealth },
  ],
  exports: [ServiceHealth, HEALTH],
})
export class HealthModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(ServiceHealth) private readonly health: ServiceHealth) {}

  onApplicationBootstrap(): void {
    this.health.started();
  }

  beforeApplicationShutdown(): void {
    this.health.standDown();
  }
}
