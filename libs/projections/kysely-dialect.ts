import type { Database } from '@app/sqlite';
import { SqliteDialect } from 'kysely';

type Parameter = null | number | bigint | string | Uint8Array;

/** Feeds Kysely's SQLite dialect from an open database; statements are prepared once per text. */
export const kyselyDialect = (db: Database): SqliteDialect => {
  const prepared = new Map<string, ReturnType<Database['prepare']>>();
  const prepare = (sql: string): ReturnType<Database['prepare']> => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    if (prepared.size < STATEMENTS_MAX) prepared.set(sql, statement);
    return statement;
  };
  return new SqliteDialect({
    database: {
      close: () => db.close(),
      prepare: (sql) => {
        const statement = prepare(sql);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as Parameter[])) as unknown[],
          run: (parameters) => statement.run(...(parameters as Parameter[])),
          iterate: (parameters) => statement.iterate(...(parameters as Parameter[])) as IterableIterator<unknown>,
        };
      },
    },
  });
};

const STATEMENTS_MAX = 500;
