import { Secret, systemScheduler } from '@app/kernel';
import { createTestDatabase, type Postgres } from '@app/postgres/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { postgresReadModelDatabase } from '../engine/database/postgres-database';
import type { ReadModelFixture } from './read-model.contract';

/** As a process has it that need not wait for its turn: what is left is the fence. */
export const withoutOwnership = ({ ownership: _, ...database }: ReadModelDatabase): ReadModelDatabase => database;

export const postgresFixture = async (server: Postgres): Promise<ReadModelFixture> => {
  const place = await createTestDatabase(server);
  return {
    open: async () => withoutOwnership(await postgresReadModelDatabase({ url: new Secret(place.url), scheduler: systemScheduler })),
    remove: () => place.drop(),
  };
};
