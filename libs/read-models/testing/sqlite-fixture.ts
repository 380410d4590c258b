import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModelDatabase } from '../engine/database/sqlite-database';
import type { ReadModelFixture } from './read-model-contract/read-model-world';

/** A read model's SQLite file in a folder of its own. */
export const sqliteFixture = (): Promise<ReadModelFixture> => {
  const folder = mkdtempSync(join(tmpdir(), 'read-model-'));
  return Promise.resolve({
    open: () => Promise.resolve(sqliteReadModelDatabase(join(folder, 'read-model.sqlite'))),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
};
