import { serveGroupedWrites } from '@app/databases/sqlite';
import type { ColumnValue } from '../rebuild/bulk-statements';
import type { BulkStatement } from './database';

/** Rows arrive in the order of the log, but their keys do not. With SQLite's own 2 MiB, tree pages are written and read repeatedly. */
const CACHE_KIB = 65_536;

/** Writes rows in a second thread while the first one reads and projects events. */
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
