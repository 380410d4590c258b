import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder for one ledger; `files` are the database and SQLite's companion files. */
export const ledgerFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  return {
    path: join(folder, 'simulator.sqlite'),
    files: (): readonly string[] => readdirSync(folder).map((name) => join(folder, name)),
    remove: (): void => rmSync(folder, { recursive: true }),
  };
};
