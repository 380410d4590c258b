import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, startPostgres } from '@app/postgres/testing';

const SQL = join(__dirname, '..', '..', 'deploy', 'postgres', 'sql');
const statements = (file: string): string => readFileSync(join(SQL, file), 'utf8');
/** Of the roles. */
export type Passwords = Readonly<Record<Role, string>>;
export const PASSWORDS = { read_models: 'read-models-of-this-test', card_vault: 'card-vault-of-this-test' };
export type Role = keyof typeof PASSWORDS;
const ROLES = Object.keys(PASSWORDS) as readonly Role[];

/** One after the other on a connection of its own. @returns the rows of the last */
export const runAll = async (url: string, ...texts: string[]): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const text of texts) ({ rows } = await client.query<Record<string, unknown>>(text));
    return rows;
  } finally {
    await client.end();
  }
};

/** A database of the server, for its superuser or one of the roles. */
export const addressIn = (serverUrl: string, database: string, role?: Role, options?: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  if (role !== undefined) [url.username, url.password] = [role, PASSWORDS[role]];
  if (options !== undefined) url.searchParams.set('options', options);
  return url.href;
};

/** Roles and databases on an empty server, by the files that `docker-compose.yml` gives to its own. */
export const setUpDatabases = async (serverUrl: string, passwords: Passwords = PASSWORDS): Promise<void> => {
  const settings = Object.entries(passwords).map(([role, password]) => `-c setup.${role}_password=${password}`);
  await runAll(addressIn(serverUrl, 'postgres', undefined, settings.join(' ')), statements('1-roles.sql'));
  // Each on its own, as psql sends them: a database is made in no transaction.
  const databases = statements('2-databases.sql').split(/(?<=;)\n/);
  await runAll(addressIn(serverUrl, 'postgres'), ...databases.filter((text) => /\w/.test(text)));
  for (const role of ROLES) await runAll(addressIn(serverUrl, role), statements(`${role}.sql`));
};

/** Where a service of a test has its read models and its vault. */
export interface ProductionDatabases {
  readonly readModelUrl: string;
  readonly vaultUrl: string;
  /** Of the process that all of the server descends from, where it was started for this. */
  readonly serverPid?: number | undefined;
  stop(): Promise<void>;
}

/** A server of its own, set up as in production; two empty databases where `TEST_POSTGRES_URL` names one that others use too. */
export const startDatabases = async (): Promise<ProductionDatabases> => {
  const server = await startPostgres();
  if (process.env['TEST_POSTGRES_URL'] !== undefined) {
    const [readModel, vault] = [await createTestDatabase(server), await createTestDatabase(server)];
    const stop = async (): Promise<void> => void (await Promise.all([readModel.drop(), vault.drop()]));
    return { readModelUrl: readModel.url, vaultUrl: vault.url, stop };
  }
  try {
    await setUpDatabases(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const [readModelUrl, vaultUrl] = ROLES.map((role) => addressIn(server.url, role, role));
  if (readModelUrl === undefined || vaultUrl === undefined) throw new Error('a database is missing');
  return { readModelUrl, vaultUrl, serverPid: server.pid, stop: () => server.stop() };
};
