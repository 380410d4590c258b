import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@app/databases/sqlite';
import { openSqliteVault } from '../open-vault';
import { SqliteVaultStore } from '../stores/sqlite-vault-store';
import type { TestVault } from './test-vault';

export interface SqliteTestVault extends TestVault {
  /** Current folder; a kill moves it. */
  folder(): string;
}

export const newSqliteTestVault = (): Promise<SqliteTestVault> => {
  const root = mkdtempSync(join(tmpdir(), 'card-vault-'));
  let folder = mkdtempSync(join(root, 'life-'));
  const path = (): string => join(folder, 'vault.sqlite');
  return Promise.resolve({
    folder: () => folder,
    openStore: (keyRing) => SqliteVaultStore.open({ path: path(), keyRing }),
    openVault: (settings) => openSqliteVault({ ...settings, path: path() }),
    query: (sql, ...parameters) => {
      const db = openDatabase(path());
      try {
        const rows = db.prepare(sql).all(...parameters);
        return Promise.resolve(rows.map((row) => ({ ...(row as object) })));
      } finally {
        db.close();
      }
    },
    stall: () => {
      const db = openDatabase(path());
      db.exec('BEGIN IMMEDIATE');
      return Promise.resolve({
        waiting: () => Promise.resolve(undefined),
        end: () => {
          db.exec('ROLLBACK');
          return Promise.resolve(db.close());
        },
      });
    },
    // Copies the files, including the write-ahead log. Its index is shared memory and disappears with the process.
    kill: () => {
      const left = mkdtempSync(join(root, 'life-'));
      cpSync(folder, left, { recursive: true, filter: (file) => !file.endsWith('-shm') });
      folder = left;
      return Promise.resolve();
    },
    remove: () => Promise.resolve(rmSync(root, { recursive: true })),
  });
};
