import type { PoolClient, QueryConfig } from 'pg';
import { inTransaction, type Database } from './database';
import { asUnusable, DatabaseUnusable } from './database-unusable';

/** SQL, or what makes it. */
export type Migration = string | ((client: PoolClient) => Promise<void>);

/** Of all that keep versions in one database: two that make the table of versions at once would be in each other's way. */
const LOCK = 'schema_versions';
/** For the processes that start at once and wait for the one that migrates, and for a migration of a large table. */
const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Brings one schema of a database to the newest version: all that is missing in one transaction, under a lock, so that of processes which start
 * at once one migrates and the others find it done.
 * @param schema names what is versioned: several may lie in one database
 * @throws DatabaseUnusable where the schema is of a newer release, or the rights are missing
 */
export const migrate = async (db: Database, schema: string, migrations: readonly Migration[]): Promise<void> => {
  try {
    await inTransaction(db, (client) => bringUp(client, schema, migrations));
  } catch (error) {
    throw asUnusable(error, db.address);
  }
};

const bringUp = async (client: PoolClient, schema: string, migrations: readonly Migration[]): Promise<void> => {
  const run = async (text: string, values: unknown[] = []): Promise<void> => {
    const patient: QueryConfig & { readonly query_timeout: number } = { text, values, query_timeout: MIGRATION_TIMEOUT_MS };
    await client.query(patient);
  };
  await run("select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true)", [String(MIGRATION_TIMEOUT_MS)]);
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
  await run('create table if not exists schema_versions (name text primary key, version integer not null)');
  const { rows } = await client.query<{ version: number }>('select version from schema_versions where name = $1', [schema]);
  const done = rows[0]?.version ?? 0;
  const known = migrations.length;
  if (done > known) {
    throw new DatabaseUnusable(`${schema}: schema ${done} is newer than this release knows (${known}); start the newer release`);
  }
  if (done === known) return;
  for (const migration of migrations.slice(done)) {
    if (typeof migration === 'string') await run(migration);
    else await migration(client);
  }
  await run('insert into schema_versions (name, version) values ($1, $2) on conflict (name) do update set version = excluded.version', [
    schema,
    known,
  ]);
};
