import { join } from 'node:path';
import { SqliteVaultStore } from './sqlite-vault-store';
import { describeVaultStore } from './testing/vault-store.contract';

describeVaultStore('SQLite', (folder, keyRing) => SqliteVaultStore.open({ path: join(folder, 'vault.sqlite'), keyRing }));
