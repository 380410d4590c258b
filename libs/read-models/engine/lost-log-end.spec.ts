import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemClock, systemScheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { WireServer } from '../../../test/fakes/eventstoredb';
import { sqliteReadModelDatabase } from './database/sqlite-database';
import { lostEndContract } from '../testing/lost-end.contract';
import type { ReadModelFixture } from '../testing/read-model.contract';

const folder = mkdtempSync(join(tmpdir(), 'lost-log-end-'));
const servers: WireServer[] = [];
let files = 0;
afterAll(async () => {
  for (const server of servers) await server.kill();
  rmSync(folder, { recursive: true });
});

const sqlite = (): Promise<ReadModelFixture> => {
  const path = join(folder, `read-model-${++files}.sqlite`);
  return Promise.resolve({ open: () => Promise.resolve(sqliteReadModelDatabase(path)), remove: () => Promise.resolve() });
};

lostEndContract('SQLite, in memory', sqlite, () => new MemoryEventStore(new VirtualClock()));

lostEndContract('SQLite, embedded', sqlite, () =>
  EmbeddedEventStore.open({ path: join(folder, `events-${++files}.sqlite`), clock: systemClock, scheduler: systemScheduler }),
);

lostEndContract('SQLite, EventStoreDB over the wire server', sqlite, async () => {
  const server = await WireServer.start();
  servers.push(server);
  return EventStoreDbEventStore.open({ url: server.connectionString, scheduler: systemScheduler, watchMs: 50 });
});
