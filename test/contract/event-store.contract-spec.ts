import { EmbeddedEventStore, type EmbeddedEventStoreSettings } from '@app/event-store/stores/embedded';
import { EventStoreDbEventStore, type EventStoreDbEventStoreSettings } from '@app/event-store/stores/eventstoredb';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { eventStoreContract, type StoreUnderTest } from '@app/event-store/testing';
import { WireServer } from '../fakes/eventstoredb';
import { systemClock, systemScheduler } from '@app/kernel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each event needs two round trips to a server. */
const SEEN_OVER_A_SERVER = 240;
/** The server decides which writer wins, so rounds over the wire show the answers of the adapter only. */
const RIVAL_ROUNDS_OVER_THE_WIRE = 100;

/** More than all reads and retries while the server is silent. */
const SILENT_READS = 2_000;

const openMemory = async (): Promise<StoreUnderTest> => {
  const store = new MemoryEventStore(systemClock);
  return { store, dispose: () => store.close() };
};

const openEmbedded = async (more: Partial<EmbeddedEventStoreSettings> = {}): Promise<StoreUnderTest> => {
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
  openLateAnswering: () => openEmbedded({ commitDelayMs: 1, groupJobsMax: 8 }),
});

eventStoreContract('EventStoreDB adapter over the wire server', openOverWire, {
  isDurable: true,
  seenEvents: SEEN_OVER_A_SERVER,
  rivalRounds: RIVAL_ROUNDS_OVER_THE_WIRE,
  openSlow: async (deadlineMs) => {
    const subject = await openOverWire({ limitMs: deadlineMs });
    subject.server.faults.append({ kind: 'hang', isStored: true });
    return subject;
  },
  openSilent: async () => {
    const subject = await openOverWire();
    subject.server.faults.read({ kind: 'hang' }, { times: SILENT_READS });
    return { ...subject, openCalls: () => subject.server.openCalls, speak: () => subject.server.faults.clear() };
  },
});

/** A given server or cluster: no data is deleted, and all stream names are unique to this run. */
const REAL_URL = process.env['ESDB_URL'];
const targets = ['in memory', 'embedded', 'EventStoreDB adapter over the wire server'];

if (REAL_URL !== undefined && REAL_URL !== '') {
  targets.push('EventStoreDB adapter over the server of ESDB_URL');
  eventStoreContract(
    'EventStoreDB adapter over the server of ESDB_URL',
    async () => {
      const open = (): Promise<EventStoreDbEventStore> => EventStoreDbEventStore.open({ url: REAL_URL, scheduler: systemScheduler });
      let store = await open();
      return {
        store,
        // The given server cannot be restarted here, so only the connection is new.
        restart: async () => {
          await store.close();
          store = await open();
          return store;
        },
        dispose: () => store.close(),
      };
    },
    { isDurable: true, isShared: true, seenEvents: SEEN_OVER_A_SERVER },
  );
}

describe('the targets of the contract', () => {
  const real = targets.length > 3 ? 'AND A REAL EventStoreDB' : 'NOT A REAL EventStoreDB, for ESDB_URL is not set';
  it(`RAN ON ${targets.slice(0, 3).join(', ')}, ${real}`, () => {
    process.stdout.write(`\nevent store contract: ran on ${targets.slice(0, 3).join(', ')}, ${real}\n`);
    expect(new Set(targets).size).toBe(targets.length);
  });
});
