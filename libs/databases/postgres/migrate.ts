import type { PoolClient, QueryConfig } from 'pg';
import { inTransaction, type Database, asUnusable, DatabaseUnusable } from './database';

/** SQL, or a function that runs it. */
export type Migration = string | ((client: PoolClient) => Promise<void>);

/** One lock for all schemas of a database, because two processes that create the table of versions at once would conflict. */
const LOCK = 'schema_versions';
/** Long enough for processes that wait for the migrating one, and for the migration of a large table. */
const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Migrates one schema of a database to the newest version in one transaction, under a lock, so that of several starting processes one migrates and
 * the others find it done.
 * @param schema name of the versioned schema; a database may have several
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
