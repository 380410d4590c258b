import { EmbeddedEventStore } from '@app/event-store/embedded';
import { MemoryEventStore } from '@app/event-store/memory';
import { eventStoreContract, type StoreUnderTest } from '@app/event-store/testing';
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

eventStoreContract('in memory', openMemory, { isDurable: false });
eventStoreContract('embedded', openEmbedded, {
  isDurable: true,
  openSlow: (deadlineMs) => openEmbedded({ appendDeadlineMs: deadlineMs, commitDelayMs: 3 * deadlineMs }),
});
