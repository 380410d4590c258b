import { MemoryEventStore } from '@app/event-store/stores/memory';
import { startPostgres, type Postgres } from '@app/databases/testing';
import { VirtualClock } from '@app/testing';
import { lostEndContract } from './testing/lost-end.contract';
import { partitionsContract } from './testing/partitions.contract';
import { postgresFixture } from './testing/postgres-fixture';
import { readModelContract, REBUILDING } from './testing/read-model.contract';

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

readModelContract('PostgreSQL', () => postgresFixture(server), { cases: REBUILDING });

partitionsContract(
  'PostgreSQL',
  () => postgresFixture(server),
  () => new MemoryEventStore(new VirtualClock()),
);

lostEndContract(
  'PostgreSQL',
  () => postgresFixture(server),
  () => new MemoryEventStore(new VirtualClock()),
);
