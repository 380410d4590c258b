import { SqliteDialect } from 'kysely';
import type { Database } from '@app/databases/sqlite';

type Parameter = null | number | bigint | string | Uint8Array;

interface Prepared {
  readonly statement: ReturnType<Database['prepare']>;
  readonly givesRows: boolean;
}

/** Kysely's SQLite dialect over an open database, with each statement's text prepared only once. */
export const kyselyDialect = (db: Database): SqliteDialect => {
  const known = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const statement = db.prepare(sql);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    // Each rebuild has tables, and so statements, of its own: the oldest are of tables that are gone.
    const [oldest] = known.keys();
    if (known.size >= STATEMENTS_MAX && oldest !== undefined) known.delete(oldest);
    known.set(sql, prepared);
    return prepared;
  };
  return new SqliteDialect({
    database: {
      close: () => db.close(),
      prepare: (sql) => {
        const { statement, givesRows } = prepare(sql);
        return {
          reader: givesRows,
          all: (parameters) => statement.all(...(parameters as Parameter[])) as unknown[],
          run: (parameters) => statement.run(...(parameters as Parameter[])),
          iterate: (parameters) => statement.iterate(...(parameters as Parameter[])) as IterableIterator<unknown>,
        };
      },
    },
  });
};

const STATEMENTS_MAX = 500;
