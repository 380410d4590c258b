import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends remaining connections. */
  drop(): Promise<void>;
}

const NAME_BYTES = 8;

const at = (url: string, database: string): string => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

/** Runs one statement on its own connection. */
export const runOnce = async <Row extends object>(url: string, text: string, values: unknown[] = []): Promise<readonly Row[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
};

/** Creates an empty database, so that tests on one server do not interfere. */
export const createTestDatabase = async ({ url }: { readonly url: string }): Promise<TestDatabase> => {
  const name = `test_${randomBytes(NAME_BYTES).toString('hex')}`;
  await runOnce(url, `create database ${name}`);
  return {
    url: at(url, name),
    drop: async () => void (await runOnce(url, `drop database if exists ${name} with (force)`)),
  };
};
