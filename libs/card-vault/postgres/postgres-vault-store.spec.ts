import { startPostgres, type Postgres } from '@app/postgres/testing';
import { newPostgresTestVault } from '../testing/postgres-test-vault';
import { describeVaultStore } from '../testing/vault-store.contract';

/** A server that starts on a busy machine. */
jest.setTimeout(60_000);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeVaultStore('PostgreSQL', () => newPostgresTestVault(server.url));
