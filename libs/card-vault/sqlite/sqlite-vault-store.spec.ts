import { newSqliteVaultPlace } from '../testing/sqlite-vault-place';
import { describeVaultStore } from '../testing/vault-store.contract';

/** A thread that compiles its own source starts slowly where the machine is busy. */
jest.setTimeout(60_000);

describeVaultStore('SQLite', newSqliteVaultPlace);
