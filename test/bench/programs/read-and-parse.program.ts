import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { Timed } from '../load/appends';

const { openDatabase } = built<typeof import('@app/sqlite')>('libs/sqlite/index.js');

interface Row {
  readonly metadata: string;
  readonly data: string;
}

const SELECT = 'SELECT position, category, stream, revision, id, type, created_ms, checksum, metadata, data FROM events ORDER BY position';

/** The floor of every rebuild: the rows are read and both their texts parsed, nothing else. */
answerQuestions(({ dataDir }: { readonly dataDir: string }): Timed => {
  const db = openDatabase(join(dataDir, 'events.sqlite'), { readOnly: true });
  const startedAt = performance.now();
  let count = 0;
  let members = 0;
  for (const row of db.prepare(SELECT).iterate() as IterableIterator<Row>) {
    members += Object.keys(JSON.parse(row.data) as object).length + Object.keys(JSON.parse(row.metadata) as object).length;
    count += 1;
  }
  const elapsedMs = performance.now() - startedAt;
  db.close();
  if (members < count) throw new Error('the rows hold nothing');
  return { count, elapsedMs };
});
