import { EmbeddedEventStore } from '@app/event-store/embedded';
import { EventStoreDbEventStore, type EventStoreDbEventStoreSettings } from '@app/event-store/eventstoredb';
import { MemoryEventStore } from '@app/event-store/memory';
import { eventStoreContract, type StoreUnderTest } from '@app/event-store/testing';
import { WireServer } from '@app/event-store/testing/wire-server';
import { systemClock, systemScheduler } from '@app/kernel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const openMemory = async (): Promise<StoreUnderTest> => {
  const store = new MemoryEventStore(systemClock);
  return { store, dispose: () => store.close() };
};

const openEmbedded = async (more: { appendDeadlineMs?: number; commitDelayMs?: number } = {}): Promise<StoreUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'event-store-contract-'));
  const open = (): Promise<EmbeddedEventStore> =>
    EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler, ...more });
  let store = await open();
  return {
    store,
    restart: async () => {
      await store.close();
      store = await open();
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
};

const openOverWire = async (
  more: Partial<EventStoreDbEventStoreSettings> = {},
): Promise<StoreUnderTest & { readonly server: WireServer }> => {
  const server = await WireServer.start();
  const open = (): Promise<EventStoreDbEventStore> =>
    EventStoreDbEventStore.open({ url: server.connectionString, scheduler: systemScheduler, watchMs: 50, ...more });
  let store = await open();
  return {
    store,
    server,
    restart: async () => {
      await store.close();
      await server.restart();
      store = await open();
      return store;
    },
    dispose: async () => {
      await store.close();
      await server.kill();
    },
  };
};

eventStoreContract('in memory', openMemory, { isDurable: false });
eventStoreContract('embedded', openEmbedded, {
  isDurable: true,
  openSlow: (deadlineMs) => openEmbedded({ appendDeadlineMs: deadlineMs, commitDelayMs: 3 * deadlineMs }),
});

eventStoreContract('EventStoreDB adapter over the wire server', openOverWire, {
  isDurable: true,
  openSlow: async (deadlineMs) => {
    const subject = await openOverWire({ limitMs: deadlineMs });
    subject.server.faults.append({ kind: 'hang', isStored: true });
    return subject;
  },
});
