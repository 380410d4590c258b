import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { Timed } from '../load/appends';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { decodeAny } = built<typeof import('@app/order-queries')>('libs/order-queries/event-codecs.js');
const { openWorkDefinitions } = built<typeof import('@app/order-queries')>('libs/order-queries/open-work.js');

export interface Rebuild {
  readonly dataDir: string;
  /** The path of the read model's file; a new one each time. */
  readonly path: string;
}

/** All read models and the reactors' memories, as `orch rebuild` does it. */
answerQuestions(async ({ dataDir, path }: Rebuild): Promise<Timed> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler, readsAhead: true });
  const readModel = await openReadModel({ path, log, decode: decodeAny, clock, openWork: openWorkDefinitions });
  const startedAt = performance.now();
  const { events, parkedStreams } = await readModel.rebuild('all');
  const elapsedMs = performance.now() - startedAt;
  await readModel.close();
  await log.close();
  if (parkedStreams > 0) throw new Error(`${parkedStreams} streams were parked`);
  return { count: events, elapsedMs };
});
