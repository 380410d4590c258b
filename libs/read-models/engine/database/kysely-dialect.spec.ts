import { CompiledQuery, Kysely } from 'kysely';
import { openDatabase, type Database } from '@app/databases/sqlite';
import { kyselyDialect } from './sqlite-database';

const TEXTS = 600;

describe('kyselyDialect of SQLite', () => {
  it('prepares a statement once, even after more statements than it caches', async () => {
    const db = openDatabase(':memory:', { durability: 'rebuildable' });
    const prepare = jest.fn((sql: string) => db.prepare(sql));
    const tables = new Kysely<object>({ dialect: kyselyDialect({ prepare, close: () => db.close() } as unknown as Database) });
    for (let text = 0; text < TEXTS; text++) await tables.executeQuery(CompiledQuery.raw(`select ${text} as it`));
    prepare.mockClear();
    for (let times = 0; times < 3; times++) await tables.executeQuery(CompiledQuery.raw('select 1 as it, 2 as other'));
    expect(prepare).toHaveBeenCalledTimes(1);
    await tables.destroy();
  });
});
