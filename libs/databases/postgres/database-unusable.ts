import { Client } from 'pg';

/** A database cannot be used; the message names it and the reason in one line, without the password. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

/** The parts of an address that may be shown. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** @throws DatabaseUnusable where the text is no address */
export const addressOf = (url: string): Address => {
  try {
    const { host, port, database, user } = new Client({ connectionString: url });
    return { host, port, database: database ?? '', user: user ?? '' };
  } catch {
    // The text may contain a password.
    throw new DatabaseUnusable('this is no address of a PostgreSQL database');
  }
};

const WRONG_PASSWORD = new Set(['28P01', '28000']);
const UNKNOWN_DATABASE = '3D000';
const NO_RIGHTS = '42501';
const NO_CONNECTION_LEFT = '53300';
const NOT_SERVING = new Set(['57P01', '57P02', '57P03']);
const UNTRUSTED = /CERT|SELF_SIGNED|VERIFY|ALTNAME/;
const NO_TLS = /does not support SSL|no encryption/;
const SILENT = /timeout/i;

const reasonOf = (error: unknown, { host, port, database, user }: Address): string => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const known = typeof code === 'string' ? code : '';
  const text = typeof message === 'string' ? message : '';
  if (NO_TLS.test(text)) return 'server and address disagree on TLS (sslmode)';
  if (WRONG_PASSWORD.has(known)) return `user ${user} is refused: wrong password, or no right to connect`;
  if (known === UNKNOWN_DATABASE) return `there is no database ${database}`;
  if (known === NO_RIGHTS) return `user ${user} has not the rights that are needed: ${text}`;
  if (known === NO_CONNECTION_LEFT) return 'the server has no connection left';
  if (NOT_SERVING.has(known)) return 'the server is starting or stopping';
  if (UNTRUSTED.test(known)) return `its certificate is not trusted (${known})`;
  if (known === 'ENOTFOUND' || known === 'EAI_AGAIN') return `no address is known for ${host}`;
  if (known === 'ECONNREFUSED') return `nothing listens on port ${port}`;
  if (known === 'ETIMEDOUT' || SILENT.test(text)) return 'it does not answer in time';
  return known === '' ? text : `${text} (${known})`;
};

/** One line for whoever reads the start of a log. */
export const asUnusable = (error: unknown, address: Address): DatabaseUnusable => {
  if (error instanceof DatabaseUnusable) return error;
  const { host, port, database } = address;
  const [line = ''] = reasonOf(error, address).split('\n');
  return new DatabaseUnusable(`PostgreSQL at ${host}:${port}, database ${database}: ${line}`, { cause: error });
};
