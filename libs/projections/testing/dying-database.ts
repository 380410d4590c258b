import type { KyselyPlugin } from 'kysely';
import type { ReadModelDatabase } from '../engine/database/database';

/** A process that will die right after its n-th statement from then on, and before the transaction around it can commit; dead it stays. */
export const mortal = (
  database: ReadModelDatabase,
): { readonly database: ReadModelDatabase; readonly dieAfter: (statements: number) => void } => {
  let left = Infinity;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      if (left <= 0) return Promise.reject(new Error('the process died'));
      left -= 1;
      return Promise.resolve(result);
    },
  };
  const mortalDatabase = { ...database, writes: database.writes.withPlugin(plugin), register: database.register.withPlugin(plugin) };
  return { database: mortalDatabase, dieAfter: (statements) => (left = statements) };
};
