import { MemoryEventStore } from '@app/event-store/memory';
import { startPostgres, type Postgres } from '@app/postgres/testing';
import { VirtualClock } from '@app/testing';
import { postgresFixture } from './testing/postgres-fixture';
import { readModelContract } from './testing/read-model.contract';

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

readModelContract(
  'PostgreSQL',
  () => postgresFixture(server),
  () => new MemoryEventStore(new VirtualClock()),
);
