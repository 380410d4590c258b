import type { KyselyPlugin } from 'kysely';
import type { ReadModelDatabase } from '../engine/database/database';

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
  const mortalDatabase = { ...database, writes: database.writes.withPlugin(plugin), registry: database.registry.withPlugin(plugin) };
  return { database: mortalDatabase, dieAfter: (statements) => (left = statements) };
};
