import { randomBytes } from 'node:crypto';
import type { CardHandle, CardUid, MerchantLogin } from '@app/kernel';
import { join } from 'node:path';
import { stopwatch } from '@app/testing';
import { instant, newKeyRing } from '../testing/keys';
import { newSqliteTestVault } from '../testing/sqlite-test-vault';
import { SqliteVaultStore } from './sqlite-vault-store';
import { describeVaultStore } from '../testing/vault-store.contract';

jest.setTimeout(60_000);

describeVaultStore('SQLite', newSqliteTestVault);

it('rejects a file that only its writer can use and releases it', async () => {
  const testVault = await newSqliteTestVault();
  const keyRing = newKeyRing();
  const path = join(testVault.folder(), 'vault.sqlite');
  await (await SqliteVaultStore.open({ path, keyRing })).close();
  const rename = (from: string, to: string) => testVault.query(`ALTER TABLE cards RENAME COLUMN ${from} TO ${to}`);
  await rename('position', 'place');
  await expect(SqliteVaultStore.open({ path, keyRing })).rejects.toThrow('no such column: position');
  await rename('place', 'position');
  await (await SqliteVaultStore.open({ path, keyRing })).close();
  await testVault.remove();
});

describe('a write to the vault in a file', () => {
  it('fails within its time limit if the disk hangs', async () => {
    const testVault = await newSqliteTestVault();
    const store = await SqliteVaultStore.open({ path: join(testVault.folder(), 'vault.sqlite'), keyRing: newKeyRing(), writeLimitMs: 200 });
    const stalled = await testVault.stall();
    const since = stopwatch();
    const card = {
      merchant: 'acme' as MerchantLogin,
      handle: 'handle-1' as CardHandle,
      blob: randomBytes(349),
      owner: 'payment-stream',
      createdAt: instant(1_000),
      indexes: [{ keyId: 1, index: randomBytes(32) }],
      uid: 'uid-1' as CardUid,
      uidNumber: 1e8,
    };
    await expect(store.insertCard(card)).rejects.toMatchObject({
      name: 'VaultUnavailable',
      message: 'no answer within the limit of a write',
    });
    expect(since.stop()).toBeLessThan(3_000);
    await stalled.end();
    await store.close();
    await testVault.remove();
  });
});
