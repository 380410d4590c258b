import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@app/databases/sqlite';

/** A copy can be opened and changed without touching the service's files. It is removed afterwards. */
export const withCopy = async <Result>(dataDir: string, work: (copy: string) => Result | Promise<Result>): Promise<Result> => {
  const copy = mkdtempSync(join(tmpdir(), 'orchestrator-copy-'));
  try {
    for (const name of readdirSync(dataDir)) cpSync(join(dataDir, name), join(copy, name), { recursive: true });
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

export const integrityFaults = (dataDir: string): Promise<string[]> =>
  withCopy(dataDir, (copy) => {
    const files = readdirSync(copy).filter((name) => name.endsWith('.sqlite'));
    return files.flatMap((name) => {
      const db = openDatabase(join(copy, name));
      try {
        const rows = db.prepare('PRAGMA integrity_check').all() as readonly { integrity_check: string }[];
        const said = rows.map(({ integrity_check }) => integrity_check).join('; ');
        return said === 'ok' ? [] : [`${name}: ${said}`];
      } finally {
        db.close();
      }
    });
  });
