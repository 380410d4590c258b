import { join } from 'node:path';
import { answerQuestions } from '../harness/program';
import { built } from '../harness/built';
import { prepareAppends } from '../load/event-rows';
import { timedAppends, type Appends, type Timed } from '../load/appends';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

/** Each writer appends the next event as soon as its last one is stored. */
answerQuestions(async ({ folder, ...load }: Appends): Promise<Timed> => {
  const appends = prepareAppends('store', load.count + (load.warmUp ?? 0));
  const store = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  const times = await timedAppends(load, appends, async ({ stream, event }) => {
    const { kind } = await store.append(stream, 'no_stream', [event]);
    if (kind !== 'appended') throw new Error('a new stream was not new');
  });
  await store.close();
  return times;
});
