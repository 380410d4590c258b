import { serveGroupedWrites } from '@app/sqlite';
import type { BulkStatement } from './bulk-load';
import type { ColumnValue } from '../rebuild/bulk-statements';

/** Writes rows in a second thread while the first one reads and folds events. */
serveGroupedWrites<BulkStatement, null>((db) => {
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
