import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ACCOUNTS, CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { built, BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, provide, RANDOM } from '@app/kernel/injection';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { SERVICE_LOG } from '../server/service-log.tokens';
import { openRateLimit } from './open-rate-limit';
import type { RateLimit } from './shared-rate-limit';
import { RATE_LIMIT, REQUEST_PORTS, EXCHANGE_LISTENER } from './request.tokens';
import { DecoyKeys } from './decoy-keys';

@Module({
  providers: [
    // After the read models, which must reach the end of the log before this process appends.
    provide(
      SerialNumbers,
      { store: EVENT_STORE, clock: CLOCK, ids: IDS, bootId: BOOT_ID, openBefore: READ_MODEL },
      ({ openBefore: _, ...ports }) => SerialNumbers.open(ports),
    ),
    provide(
      RATE_LIMIT,
      { configuration: CONFIGURATION, environment: ENVIRONMENT, monotonic: MONOTONIC, log: SERVICE_LOG, openBefore: EVENT_STORE },
      ({ configuration, environment, monotonic, log }) =>
        openRateLimit({
          requestsPerSecond: () => configuration.rateLimit.requestsPerSecond,
          readModel: environment.readModel,
          monotonicMs: () => monotonic.elapsedMs(),
          onAway: (error) => log.failure('rate-limit.away', error),
        }),
    ),
    provide(
      REQUEST_PORTS,
      {
        serials: SerialNumbers,
        clock: CLOCK,
        random: RANDOM,
        failpoints: FAILPOINTS,
        deadlines: RequestDeadlines,
        listener: EXCHANGE_LISTENER,
        configuration: CONFIGURATION,
      },
      (ports) => ports,
    ),
    built(DecoyKeys, ACCOUNTS),
  ],
  exports: [REQUEST_PORTS, RATE_LIMIT, DecoyKeys],
})
export class RequestModule implements OnApplicationShutdown {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: RateLimit) {}

  onApplicationShutdown(): Promise<void> {
    return this.rateLimit.close();
  }
}
