import { OutcomeUnknown, StoreUnavailable, type EventStore } from '@app/event-store';

/** The fault of one append: none; it is refused; it is stored and its answer is lost. */
export type AppendFault = 'none' | 'refused' | 'answer-lost';

/** A store whose appends meet the faults that a test chooses. */
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
