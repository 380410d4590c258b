import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { answerQuestions } from '../harness/program';
import { built } from '../harness/built';
import { prepareAppends } from '../load/event-rows';
import type { Appends, Timed } from '../load/appends';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/embedded')>('libs/event-store/embedded/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

/** Each writer appends the next event as soon as its last one is stored. */
answerQuestions(async ({ folder, count, writers }: Appends): Promise<Timed> => {
  const appends = prepareAppends('store', count);
  const store = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  let next = 0;
  const write = async (): Promise<void> => {
    for (let append = appends[next++]; append !== undefined; append = appends[next++]) {
      const { kind } = await store.append(append.stream, 'no_stream', [append.event]);
      if (kind !== 'appended') throw new Error('a new stream was not new');
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: writers }, write));
  const elapsedMs = performance.now() - startedAt;
  await store.close();
  return { count, elapsedMs };
});
