import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@app/databases/sqlite';
import { withCopy } from '../findings/sqlite-files';
import type { ByteScanner, Hit } from './byte-scanner';

export const scanFolder = (scanner: ByteScanner, folder: string): Hit[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    return [...scanner.scan(readFileSync(path), path), ...scanner.scan(Buffer.from(entry.name), `name of ${path}`)];
  });

const asBytes = (value: unknown): Buffer => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)));

/** Reads rows because a value that spans several pages is only contiguous here. */
export const scanRows = (scanner: ByteScanner, dataDir: string): Promise<Hit[]> =>
  withCopy(dataDir, (copy) =>
    readdirSync(copy)
      .filter((name) => name.endsWith('.sqlite'))
      .flatMap((name) => {
        const db = openDatabase(join(copy, name));
        try {
          const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as readonly { name: string }[];
          return tables.flatMap(({ name: table }) => {
            const statement = db.prepare(`SELECT * FROM "${table}"`);
            statement.setReadBigInts(true);
            const values = (statement.all() as readonly Record<string, unknown>[]).flatMap((row) => Object.values(row).map(asBytes));
            const separated = values.flatMap((value) => [value, SEPARATOR]);
            return scanner.scan(Buffer.concat(separated), `rows of ${name}, ${table}`);
          });
        } finally {
          db.close();
        }
      }),
  );

const SEPARATOR = Buffer.from('\n');
