import type { NonEmpty } from '@app/kernel';
import type { NewEvent } from '@app/event-store';
import { answerQuestions } from '../harness/program';
import { built } from '../harness/built';
import { drive, type Traffic, type TrafficTimes } from '../load/store-traffic';

const { EventStoreDbEventStore } = built<typeof import('@app/event-store/stores/eventstoredb')>(
  'libs/event-store/stores/eventstoredb/index.js',
);
const { systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

/** The adapter. */
answerQuestions(async (traffic: Traffic): Promise<TrafficTimes> => {
  const store = await EventStoreDbEventStore.open({ url: traffic.url, scheduler: systemScheduler });
  const times = await drive(
    {
      prepare: (events) => events as unknown as NonEmpty<NewEvent>,
      append: async (stream, events) => {
        const { kind } = await store.append(stream, 'no_stream', events);
        if (kind !== 'appended') throw new Error('a new stream was not new');
      },
      read: async (stream) => {
        let count = 0;
        for await (const event of store.read(stream)) if (event.data !== '') count += 1;
        return count;
      },
    },
    traffic,
  );
  await store.close();
  return times;
});
