import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const NAME_BYTES = 8;

const at = (url: string, database: string): string => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

export const runOnce = async <Row extends object>(url: string, text: string, values: unknown[] = []): Promise<readonly Row[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
};

const kept = new WeakMap<object, TestDatabase[]>();

/** Empties a dropped database for the next test of the file, because creating one takes longer than most tests. */
export const keepDatabases = (server: object): void => void kept.set(server, []);

export const dropKept = async (server: object): Promise<void> => {
  for (const database of kept.get(server)?.splice(0) ?? []) await database.drop();
};

const END_SESSIONS =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
const EMPTY = [
  'drop schema public cascade',
  'create schema public authorization pg_database_owner',
  'grant usage on schema public to public',
].join(';');

/** Also ends all sessions, which may hold locks. */
const empty = async (url: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    while (((await client.query(END_SESSIONS)).rowCount ?? 0) > 0);
    await client.query(EMPTY);
  } finally {
    await client.end();
  }
};

export const createTestDatabase = async (server: { readonly url: string }): Promise<TestDatabase> => {
  const databases = kept.get(server);
  const database = databases?.pop() ?? (await newDatabase(server.url));
  if (databases === undefined) return database;
  const giveBack = async (): Promise<void> => {
    await empty(database.url);
    databases.push(database);
  };
  return { url: database.url, drop: giveBack };
};

const newDatabase = async (url: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(NAME_BYTES).toString('hex')}`;
  await runOnce(url, `create database ${name}`);
  return {
    url: at(url, name),
    drop: async () => void (await runOnce(url, `drop database if exists ${name} with (force)`)),
  };
};
