import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { built, CLOCK, MONOTONIC, provide, SCHEDULER, token } from '@app/kernel/injection';
import type { EventStore } from './core/port';
import { RequestDeadlines } from './core/request-deadlines';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from './event-store.tokens';
import { StreamCopies } from './subscribe/stream-copies';
import { openEventStore, type EventStoreSettings, type OpenedEventStore } from './stores';

const OPENED_LOG = token<OpenedEventStore>('OPENED_LOG');

export type EventStoreModuleSettings = Omit<EventStoreSettings, 'clock' | 'scheduler'>;

/** The event log at its address: a file, a server, or memory. Closed after all its writers. */
@Module({})
export class EventStoreModule implements OnApplicationShutdown {
  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  static forRoot(settings: EventStoreModuleSettings): DynamicModule {
    const providers = [
      provide(OPENED_LOG, { clock: CLOCK, scheduler: SCHEDULER }, (ports) => openEventStore({ ...settings, ...ports })),
      provide(EVENT_STORE, { log: OPENED_LOG }, ({ log }) => log.store),
      provide(IS_LOG_SHARED, { log: OPENED_LOG }, ({ log }) => log.isShared),
      built(RequestDeadlines, SCHEDULER, MONOTONIC),
      built(StreamCopies),
      provide(REQUEST_EVENT_STORE, { deadlines: RequestDeadlines, store: EVENT_STORE }, ({ deadlines, store }) =>
        deadlines.guarding(store),
      ),
    ];
    return {
      module: EventStoreModule,
      global: true,
      providers,
      exports: [EVENT_STORE, IS_LOG_SHARED, RequestDeadlines, REQUEST_EVENT_STORE, StreamCopies],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}
