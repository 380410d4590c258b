import { OutcomeUnknown, StoreUnavailable, type EventStore } from '@app/event-store';

/** `answer-lost`: the append is stored, but the caller gets an error. */
export type AppendFault = 'none' | 'refused' | 'answer-lost';

export const failingStore = (store: EventStore, nextFault: () => AppendFault): EventStore => ({
  append: async (stream, expected, events) => {
    const fault = nextFault();
    if (fault === 'refused') throw new StoreUnavailable('the store is unavailable');
    const answer = await store.append(stream, expected, events);
    if (fault === 'answer-lost') throw new OutcomeUnknown('the answer was lost');
    return answer;
  },
  read: (stream, from) => store.read(stream, from),
  subscribe: (categories, after) => store.subscribe(categories, after),
  head: () => store.head(),
  comparePositions: (a, b) => store.comparePositions(a, b),
  close: () => store.close(),
});
