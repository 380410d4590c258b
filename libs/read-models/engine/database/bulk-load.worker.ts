import { serveGroupedWrites } from '@app/databases/sqlite';
import type { BulkStatement } from './bulk-load';
import type { ColumnValue } from '../rebuild/bulk-statements';

/** Rows arrive in the order of the log, and their keys in none: with SQLite's own 2 MiB, pages of the trees are written and read again and again. */
const CACHE_KIB = 65_536;

/** Writes rows in a second thread while the first one reads and folds events. */
serveGroupedWrites<BulkStatement, null>((db) => {
  db.exec(`PRAGMA cache_size=-${CACHE_KIB}`);
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  return ({ sql, parameters }) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    statement.run(...(parameters as ColumnValue[]));
    return null;
  };
});
