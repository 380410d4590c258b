import type { StoredEvent, StreamName, SubscriptionItem } from '@app/event-store';
import { EventStoreDbEventStore, type EventStoreDbEventStoreSettings } from '@app/event-store/stores/eventstoredb';
import { WireServer } from '../../fakes/eventstoredb';
import { systemScheduler } from '@app/kernel';

const ATTEMPT_MS = 300;
const LIMIT_MS = 15_000;
const WATCH_MS = 40;
export const STREAM = 'order-1' as StreamName;

const servers: WireServer[] = [];
const stores: EventStoreDbEventStore[] = [];
export const serve = async (settings?: Parameters<typeof WireServer.start>[0]): Promise<WireServer> => {
  const server = await WireServer.start(settings);
  servers.push(server);
  return server;
};
export const openAt = async (url: string, more: Partial<EventStoreDbEventStoreSettings> = {}): Promise<EventStoreDbEventStore> => {
  const store = await EventStoreDbEventStore.open({
    url,
    scheduler: systemScheduler,
    attemptMs: ATTEMPT_MS,
    limitMs: LIMIT_MS,
    watchMs: WATCH_MS,
    ...more,
  });
  stores.push(store);
  return store;
};
export const closeAll = async (): Promise<void> => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(servers.splice(0).map((server) => server.kill()));
};
export const connected = async (more: Partial<EventStoreDbEventStoreSettings> = {}) => {
  const server = await serve();
  return { server, store: await openAt(server.connectionString, more) };
};
export const storedIn = (server: WireServer, stream: StreamName = STREAM): readonly string[] =>
  server.log.eventsOf(stream).map(({ id }) => id);
export const appendedAt = (revision: number) => ({ kind: 'appended', revision: BigInt(revision) });

export const follow = (subscription: AsyncIterable<SubscriptionItem>) => {
  const seen = { items: [] as SubscriptionItem[], error: undefined as Error | undefined };
  const done = (async () => {
    try {
      for await (const item of subscription) seen.items.push(item);
    } catch (error) {
      seen.error = error as Error;
    }
  })();
  const kinds = (): readonly string[] =>
    seen.items.map((item) => (item.kind === 'event' ? `${item.event.stream}@${item.event.revision}` : item.kind));
  return { seen, done, kinds };
};

export const nextEvent = async (items: AsyncIterator<SubscriptionItem>): Promise<StoredEvent | undefined> => {
  for (;;) {
    const { done, value } = (await items.next()) as IteratorResult<SubscriptionItem, undefined>;
    if (done === true) return undefined;
    if (value.kind === 'event') return value.event;
  }
};
