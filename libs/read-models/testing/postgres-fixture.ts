import { Client } from 'pg';
import { Secret, systemScheduler } from '@app/kernel';
import { createTestDatabase, runOnce, type Postgres } from '@app/databases/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { postgresReadModelDatabase } from '../engine/database/open-database';
import type { ReadModelFixture } from './read-model.contract';

const withoutOwnership = ({ ownership: _, ...database }: ReadModelDatabase): ReadModelDatabase => database;

export const postgresFixture = async (server: Postgres): Promise<ReadModelFixture> => {
  const testDatabase = await createTestDatabase(server);
  return {
    open: async () => withoutOwnership(await postgresReadModelDatabase({ url: new Secret(testDatabase.url), scheduler: systemScheduler })),
    stall: async (table) => {
      const locker = new Client({ connectionString: testDatabase.url });
      await locker.connect();
      await locker.query('BEGIN');
      await locker.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const waiting = async (): Promise<number> => {
        const text = 'SELECT count(*)::integer AS count FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
        return (await runOnce<{ count: number }>(testDatabase.url, text, [table]))[0]?.count ?? 0;
      };
      return { waiting, end: () => locker.end() };
    },
    remove: () => testDatabase.drop(),
  };
};
