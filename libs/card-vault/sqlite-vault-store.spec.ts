import { join } from 'node:path';
import { SqliteVaultStore } from './sqlite-vault-store';
import { describeVaultStore } from './testing/vault-store.contract';

/** A thread that compiles its own source starts slowly where the machine is busy. */
jest.setTimeout(60_000);

describeVaultStore('SQLite', (folder, keyRing) => SqliteVaultStore.open({ path: join(folder, 'vault.sqlite'), keyRing }));
