import type { CardHandle, MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import { newKeyRing } from '../testing/keys';
import { newPostgresTestVault } from '../testing/postgres-test-vault';
import { describeVaultStore } from '../testing/vault-store.contract';
import { PostgresVaultStore } from './postgres-vault-store';

jest.setTimeout(60_000);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeVaultStore('PostgreSQL', () => newPostgresTestVault(server.url));

it('rejects a statement above the queue limit at once and answers the queued ones', async () => {
  const testVault = await newPostgresTestVault(server.url);
  const store = await PostgresVaultStore.open({ url: testVault.url, keyRing: newKeyRing(), connectionsMax: 1, waitingMax: 50 });
  try {
    const find = (): Promise<unknown> => store.findCard('acme' as MerchantLogin, 'no-such' as CardHandle);
    const asked = Array.from({ length: 50 }, find);
    await expect(find()).rejects.toMatchObject({ name: 'VaultUnavailable', message: 'too many statements wait for the vault' });
    expect(new Set(await Promise.all(asked))).toStrictEqual(new Set([undefined]));
    await expect(find()).resolves.toBeUndefined();
  } finally {
    await store.close();
    await testVault.remove();
  }
});
