import { Secret, systemScheduler } from '@app/kernel';
import { createTestDatabase, runOnce, type Postgres } from '@app/postgres/testing';
import { Client } from 'pg';
import type { ReadModelDatabase } from '../engine/database/database';
import { postgresReadModelDatabase } from '../engine/database/postgres-database';
import type { ReadModelFixture } from './read-model.contract';

/** As a process has it that need not wait for its turn: what is left is the fence. */
export const withoutOwnership = ({ ownership: _, ...database }: ReadModelDatabase): ReadModelDatabase => database;

export const postgresFixture = async (server: Postgres): Promise<ReadModelFixture> => {
  const place = await createTestDatabase(server);
  return {
    open: async () => withoutOwnership(await postgresReadModelDatabase({ url: new Secret(place.url), scheduler: systemScheduler })),
    stall: async (table) => {
      const locker = new Client({ connectionString: place.url });
      await locker.connect();
      await locker.query('BEGIN');
      await locker.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const waiting = async (): Promise<number> => {
        const text = 'SELECT count(*)::integer AS count FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
        return (await runOnce<{ count: number }>(place.url, text, [table]))[0]?.count ?? 0;
      };
      return { waiting, end: () => locker.end() };
    },
    remove: () => place.drop(),
  };
};
