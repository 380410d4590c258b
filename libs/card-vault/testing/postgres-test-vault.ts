import { Client } from 'pg';
import { Secret } from '@app/kernel';
import { openPostgresVault } from '../open-vault';
import { PostgresVaultStore } from '../stores/postgres-vault-store';
import type { TestVault } from './test-vault';

let made = 0;

export interface PostgresTestVault extends TestVault {
  readonly url: Secret<string>;
}

export const newPostgresTestVault = async (databaseUrl: string): Promise<PostgresTestVault> => {
  const schema = `vault_${made++}`;
  const address = new URL(databaseUrl);
  address.searchParams.set('options', `-c search_path=${schema}`);
  const url = new Secret(address.href);
  const client = new Client({ connectionString: address.href });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  return {
    url,
    openStore: (keyRing) => PostgresVaultStore.open({ url, keyRing }),
    openVault: (settings) => openPostgresVault({ ...settings, url }),
    query: async (sql, ...parameters) => {
      let at = 0;
      return (
        await client.query<Record<string, unknown>>(
          sql.replaceAll('?', () => `$${++at}`),
          [...parameters],
        )
      ).rows;
    },
    stall: async () => {
      const locker = new Client({ connectionString: address.href });
      await locker.connect();
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE cards, card_uids, ownerless_cards, order_keys IN ACCESS EXCLUSIVE MODE');
      return {
        waiting: async () => {
          const text =
            'SELECT count(*)::integer AS count FROM pg_locks JOIN pg_class ON oid = relation WHERE NOT granted AND relnamespace = $1::regnamespace';
          const { rows } = await client.query<{ count: number }>(text, [schema]);
          return rows[0]?.count;
        },
        end: () => locker.end(),
      };
    },
    // The server outlives the process; its commits remain.
    kill: () => Promise.resolve(),
    remove: async () => {
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
};
