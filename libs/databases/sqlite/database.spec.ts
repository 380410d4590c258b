import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeDatabase, migrate, openDatabase } from './database';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sqlite-database-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const messageOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

describe('a file that cannot be used is named by what is thrown', () => {
  it.each<[string, string, (path: string) => void]>([
    ['a folder', 'Failed to open database: unable to open database file', (path) => mkdirSync(path)],
    ['no database', 'file is not a database', (path) => writeFileSync(path, 'this is none, and long enough to be looked at'.repeat(100))],
  ])('%s', (_what, cause, make) => {
    const path = join(folder, 'vault.sqlite');
    make(path);
    for (const options of [{}, { cacheMiB: 1 }]) expect(messageOf(() => openDatabase(path, options))).toBe(`${path}: ${cause}`);
  });

  it('and by a step of its schema that fails, with the code of SQLite', () => {
    const path = join(folder, 'vault.sqlite');
    const db = openDatabase(path);
    const act = (): void => migrate(db, path, [(database) => database.exec('SELECT * FROM absent')]);
    expect(act).toThrow(expect.objectContaining({ errcode: 1, message: expect.stringMatching(/^\S+vault\.sqlite: .*no such table/) }));
    closeDatabase(db);
  });
});
