import type { PoolClient, QueryConfig } from 'pg';
import { inTransaction, type Database, asUnusable, DatabaseUnusable } from './database';

export type Migration = string | ((client: PoolClient) => Promise<void>);

/** One lock for all schemas of a database, because concurrent creation of the version table would conflict. */
const LOCK = 'schema_versions';
/** Long enough to wait for another migrating process, and to migrate a large table. */
const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Migrates one schema to the newest version in one transaction, under a lock: of several starting processes, one migrates.
 * @param schema name of the versioned schema; a database may have several
 * @throws DatabaseUnusable if a newer release wrote the schema, or rights are missing
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
