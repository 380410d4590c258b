import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/read-models')>('libs/read-models/index.js');
const { decodeAny } = built<typeof import('@app/read-models/queries')>('libs/read-models/queries/event-codecs.js');
const { openWorkDefinitions } = built<typeof import('@app/read-models/queries')>('libs/read-models/queries/open-work.js');
const { openDatabase } = built<typeof import('@app/databases/sqlite')>('libs/databases/sqlite/index.js');

export interface Rebuild {
  readonly dataDir: string;
  /** A new path each time. Without it, events are only read and parsed. */
  readonly path?: string;
}

interface Row {
  readonly metadata: string;
  readonly data: string;
}

const MS_PER_SECOND = 1_000;
const SELECT = 'SELECT position, category, stream, revision, id, type, created_ms, checksum, metadata, data FROM events ORDER BY position';

const perSecond = (events: number, startedAt: number): number => (events * MS_PER_SECOND) / (performance.now() - startedAt);

/** The minimum cost of every rebuild: rows are read and parsed. */
const readAndParsed = (dataDir: string): number => {
  const db = openDatabase(join(dataDir, 'events.sqlite'), { readOnly: true });
  const startedAt = performance.now();
  let count = 0;
  let members = 0;
  for (const row of db.prepare(SELECT).iterate() as IterableIterator<Row>) {
    members += Object.keys(JSON.parse(row.data) as object).length + Object.keys(JSON.parse(row.metadata) as object).length;
    count += 1;
  }
  const rate = perSecond(count, startedAt);
  db.close();
  if (members < count) throw new Error('the rows hold nothing');
  return rate;
};

const rebuilt = async (dataDir: string, path: string): Promise<number> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler });
  const readModel = await openReadModel({ path, log, decode: decodeAny, clock, openWork: openWorkDefinitions });
  const startedAt = performance.now();
  const { events, parkedStreams } = await readModel.rebuild('all');
  const rate = perSecond(events, startedAt);
  await readModel.close();
  await log.close();
  if (parkedStreams > 0) throw new Error(`${parkedStreams} streams were parked`);
  return rate;
};

answerQuestions(({ dataDir, path }: Rebuild) => (path === undefined ? readAndParsed(dataDir) : rebuilt(dataDir, path)));
