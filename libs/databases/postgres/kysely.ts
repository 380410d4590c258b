import type { Deadline } from '@app/kernel';
import { PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { connectBy, queryBy, type Database } from './database';

/** Maximum of parsed statements that the server keeps per connection. */
const STATEMENTS_MAX = 500;
const SILENCE = 'Query read timeout';

class Session {
  readonly #client: PoolClient;
  readonly #nameOf: (text: string) => string | undefined;
  readonly #deadline: Deadline | undefined;
  #silence: Error | undefined;

  constructor(client: PoolClient, nameOf: (text: string) => string | undefined, deadline: Deadline | undefined) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#deadline = deadline;
  }

  async query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (this.#silence !== undefined) throw this.#silence;
    const name = values.length === 0 ? undefined : this.#nameOf(text);
    try {
      const query = { text, values: values as unknown[], ...(name !== undefined && { name }) };
      return (await queryBy(this.#client, query, this.#deadline)) as unknown as PostgresQueryResult<Row>;
    } catch (error) {
      if (error instanceof Error && (error.message === SILENCE || this.#deadline?.isOver === true)) this.#silence = error;
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#silence);
  }
}

/**
 * Kysely's PostgreSQL dialect over an open database. Statements are parsed once per connection, so name the columns: `select *` fails after
 * another release alters the table.
 */
export const kyselyDialect = (db: Database): PostgresDialect => kyselyDialects(db)();

/** As `kyselyDialect`, with a deadline per use. All dialects share the parsed statements. */
export const kyselyDialects = (db: Database): ((deadline?: Deadline) => PostgresDialect) => {
  const { pool } = db;
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= STATEMENTS_MAX) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
  return (deadline) =>
    new PostgresDialect({
      pool: {
        connect: async () => new Session(await connectBy(db, deadline), nameOf, deadline) as unknown as PostgresPoolClient,
        end: async () => {
          if (!pool.ended && !pool.ending) await pool.end();
        },
      },
    });
};
