import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, postgresServer } from '@app/databases/testing';

const SQL = join(__dirname, '..', '..', '..', 'deploy', 'postgres', 'sql');
const statements = (file: string): string => readFileSync(join(SQL, file), 'utf8');
export type Passwords = Readonly<Record<Role, string>>;
const PASSWORDS = { read_models: 'read-models-of-this-test', card_vault: 'card-vault-of-this-test' };
export type Role = keyof typeof PASSWORDS;
const ROLES = Object.keys(PASSWORDS) as readonly Role[];
const NAME_BYTES = 8;

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

export const addressIn = (serverUrl: string, database: string, role?: Role, options?: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  if (role !== undefined) [url.username, url.password] = [role, PASSWORDS[role]];
  if (options !== undefined) url.searchParams.set('options', options);
  return url.href;
};

const rolesWith = (passwords: Passwords): string => {
  const settings = Object.entries(passwords).map(([role, password]) => `-c setup.${role}_password=${password}`);
  return settings.join(' ');
};

/** Uses the files that `docker-compose.yml` gives to its server, with these names instead of the roles' names. */
const makeDatabases = async (serverUrl: string, names: Readonly<Record<Role, string>>): Promise<void> => {
  const named = (file: string): string =>
    ROLES.reduce((text, role) => text.replaceAll(new RegExp(`\\bDATABASE ${role}\\b`, 'g'), `DATABASE ${names[role]}`), statements(file));
  // Run one by one, like psql, because a database cannot be created in a transaction.
  const databases = named('2-databases.sql').split(/(?<=;)\n/);
  await runAll(addressIn(serverUrl, 'postgres'), ...databases.filter((text) => /\w/.test(text)));
  for (const role of ROLES) await runAll(addressIn(serverUrl, names[role]), named(`${role}.sql`));
};

export const setUpDatabases = async (serverUrl: string, passwords: Passwords = PASSWORDS): Promise<void> => {
  await runAll(addressIn(serverUrl, 'postgres', undefined, rolesWith(passwords)), statements('1-roles.sql'));
  await makeDatabases(serverUrl, { read_models: 'read_models', card_vault: 'card_vault' });
};

/** Lock under which the first test creates the roles for all tests. */
const ROLES_LOCK = 20_240;

const makeRolesOnce = (serverUrl: string): Promise<unknown> =>
  runAll(
    addressIn(serverUrl, 'postgres', undefined, rolesWith(PASSWORDS)),
    `select pg_advisory_lock(${ROLES_LOCK})`,
    `do $once$ begin if not exists (select from pg_roles where rolname = 'card_vault') then execute $roles$ ${statements('1-roles.sql')} $roles$; end if; end $once$`,
  );

export interface ProductionDatabases {
  readonly readModelUrl: string;
  readonly vaultUrl: string;
  readonly serverPid?: number | undefined;
  stop(): Promise<void>;
}

/** Two databases, set up as in production. If `TEST_POSTGRES_URL` names the server, they are plain ones. */
export const startDatabases = async (): Promise<ProductionDatabases> => {
  const server = await postgresServer();
  if (process.env['TEST_POSTGRES_URL'] !== undefined) {
    const [readModel, vault] = [await createTestDatabase(server), await createTestDatabase(server)];
    const stop = async (): Promise<void> => void (await Promise.all([readModel.drop(), vault.drop()]));
    return { readModelUrl: readModel.url, vaultUrl: vault.url, stop };
  }
  const own = randomBytes(NAME_BYTES).toString('hex');
  const names: Readonly<Record<Role, string>> = { read_models: `read_models_${own}`, card_vault: `card_vault_${own}` };
  const stop = async (): Promise<void> => {
    const drops = ROLES.map((role) => `drop database if exists ${names[role]} with (force)`);
    await runAll(addressIn(server.url, 'postgres'), ...drops);
    await server.stop();
  };
  try {
    await makeRolesOnce(server.url);
    await makeDatabases(server.url, names);
  } catch (error) {
    await stop();
    throw error;
  }
  const [readModelUrl, vaultUrl] = ROLES.map((role) => addressIn(server.url, names[role], role));
  if (readModelUrl === undefined || vaultUrl === undefined) throw new Error('a database is missing');
  return { readModelUrl, vaultUrl, serverPid: server.pid, stop };
};
