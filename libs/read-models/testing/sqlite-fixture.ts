import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModelDatabase } from '../engine/database/sqlite-database';
import type { ReadModelFixture } from './read-model-contract/read-model-world';

export const sqliteFixture = (): Promise<ReadModelFixture> => {
  const folder = mkdtempSync(join(tmpdir(), 'read-model-'));
  return Promise.resolve({
    open: () => Promise.resolve(sqliteReadModelDatabase(join(folder, 'read-model.sqlite'))),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
};
