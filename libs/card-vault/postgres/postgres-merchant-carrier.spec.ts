import { startPostgres, type Postgres } from '@app/postgres/testing';
import { describeMerchantCarrier } from '../testing/merchant-carrier.contract';
import { newPostgresTestVault } from '../testing/postgres-test-vault';
import { newSqliteTestVault } from '../testing/sqlite-test-vault';

/** A server that starts on a busy machine. */
jest.setTimeout(60_000);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeMerchantCarrier(
  'PostgreSQL to PostgreSQL',
  () => newPostgresTestVault(server.url),
  () => newPostgresTestVault(server.url),
);
describeMerchantCarrier('SQLite to PostgreSQL', newSqliteTestVault, () => newPostgresTestVault(server.url));
