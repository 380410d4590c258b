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

describe('an unusable SQLite file is named in the error', () => {
  it.each<[string, string, (path: string) => void]>([
    ['a folder', 'Failed to open database: unable to open database file', (path) => mkdirSync(path)],
    ['no database', 'file is not a database', (path) => writeFileSync(path, 'this is none, and long enough to be looked at'.repeat(100))],
  ])('if it is %s', (_what, cause, make) => {
    const path = join(folder, 'vault.sqlite');
    make(path);
    for (const options of [{}, { cacheMiB: 1 }]) expect(messageOf(() => openDatabase(path, options))).toBe(`${path}: ${cause}`);
  });

  it('if a migration step fails, together with the SQLite error code', () => {
    const path = join(folder, 'vault.sqlite');
    const db = openDatabase(path);
    const act = (): void => migrate(db, path, [(database) => database.exec('SELECT * FROM absent')]);
    expect(act).toThrow(expect.objectContaining({ errcode: 1, message: expect.stringMatching(/^\S+vault\.sqlite: .*no such table/) }));
    closeDatabase(db);
  });
});
