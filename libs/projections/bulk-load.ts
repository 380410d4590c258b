import { GroupedWriter } from '@app/sqlite';
import { join } from 'node:path';
import type { ColumnValue } from './bulk-statements';

export interface BulkStatement {
  readonly sql: string;
  readonly parameters: readonly ColumnValue[];
}

/** Writes beside the thread that asks for it, in the order of asking; what was asked may be lost until `drained` resolves. */
export interface BulkLoad {
  write(statement: BulkStatement): void;
  /** All that was asked is stored. @throws Error where some of it is not */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** Statements of one transaction: the longest that another writer of the file has to wait for. */
const GROUP_STATEMENTS_MAX = 32;

export const sqliteBulkLoad = async (path: string): Promise<BulkLoad> => {
  const writer = await GroupedWriter.open<BulkStatement, null>({
    path,
    workerFile: join(__dirname, 'bulk-load.worker'),
    callerFile: __filename,
    groupJobsMax: GROUP_STATEMENTS_MAX,
  });
  let asked: Promise<null>[] = [];
  return {
    write: (statement) => {
      const done = writer.submit(statement);
      // Told by `drained`, and not as an unhandled rejection before somebody asks.
      done.catch(() => undefined);
      asked.push(done);
    },
    drained: async () => {
      const all = asked;
      asked = [];
      await Promise.all(all);
    },
    close: () => writer.close(),
  };
};
