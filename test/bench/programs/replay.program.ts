import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { AskReplay, ReplayTimed } from '../load/history';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { decodeAny } = built<typeof import('@app/order-queries')>('libs/order-queries/event-codecs.js');
const { openWorkDefinitions } = built<typeof import('@app/order-queries')>('libs/order-queries/open-work.js');

/** As `orch replay --all` does it, beside the process that serves. */
answerQuestions(async ({ dataDir, path }: AskReplay): Promise<ReplayTimed> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler, readsAhead: true });
  const readModel = await openReadModel({ path, log, decode: decodeAny, clock, openWork: openWorkDefinitions });
  const times = [performance.now()];
  const replay = await readModel.replay(scheduler);
  times.push(performance.now());
  const compared = await replay.compare();
  times.push(performance.now());
  await replay.switch();
  times.push(performance.now());
  const { events } = replay;
  await replay.close();
  await readModel.close();
  await log.close();
  const [begun = 0, built_ = 0, told = 0, switched = 0] = times;
  const isEqual = compared?.every((one) => one.isEqual) === true;
  return { events, buildMs: built_ - begun, compareMs: told - built_, switchMs: switched - told, isEqual };
});
