import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Migration } from '@app/sqlite';
import { answerQuestions } from '../harness/program';
import { built } from '../harness/built';
import { prepareAppends } from '../load/event-rows';
import type { Appends, Timed } from '../load/appends';

const { closeDatabase, migrate, openDatabase } = built<typeof import('@app/sqlite')>('libs/sqlite/index.js');
// The store's own schema is not exported, so its type is named here.
const { EVENT_LOG_MIGRATIONS, LOG_CHECKPOINT_PAGES } = built<{
  readonly EVENT_LOG_MIGRATIONS: readonly Migration[];
  readonly LOG_CHECKPOINT_PAGES: number;
}>('libs/event-store/stores/embedded/event-log.schema.js');

const INSERT =
  'INSERT INTO events (category, stream, revision, id, type, created_ms, checksum, metadata, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** The same rows into the same table with the same pragmas, and nothing else: no thread between, no check, a synced commit for each group. */
answerQuestions(({ folder, count, writers: groupRows }: Appends): Timed => {
  const rows = prepareAppends('raw', count);
  const path = join(folder, 'events.sqlite');
  const db = openDatabase(path, { autoCheckpointPages: LOG_CHECKPOINT_PAGES });
  migrate(db, path, EVENT_LOG_MIGRATIONS);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const insert = db.prepare(INSERT);
  const startedAt = performance.now();
  for (let from = 0; from < rows.length; from += groupRows) {
    begin.run();
    for (const { stream, event } of rows.slice(from, from + groupRows)) {
      insert.run('recurring', stream, 0, event.id, event.type, 1_767_225_600_000, 0, event.metadata, event.data);
    }
    commit.run();
  }
  const elapsedMs = performance.now() - startedAt;
  closeDatabase(db);
  return { count, elapsedMs };
});
