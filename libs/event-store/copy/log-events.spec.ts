import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { BrokenChain } from '../core/chain';
import { StoreUnavailable, type Position, type Revision, type StoredEvent, type StreamName, type Subscription } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { ChainedWriter } from '../testing';
import { logEvents, SELECTED_STREAMS_MAX, streamEvents, type EventLog, type LogItem, type Selection } from './log-events';
import { RetryPolicy } from './bounded-tasks';

const scheduler: Scheduler = {
  after: (_delayMs, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};
const retry = new RetryPolicy(scheduler, () => false);
const stream = (name: string): StreamName => name as StreamName;
const TRIES_MAX = 8;

const written = async (...names: readonly string[]): Promise<MemoryEventStore> => {
  const store = new MemoryEventStore(new VirtualClock());
  const writer = new ChainedWriter(store);
  for (const name of names) await writer.write(stream(name));
  return store;
};

const meddled = (
  store: MemoryEventStore,
  meddle: (event: StoredEvent) => 'end' | undefined,
): {
  readonly log: EventLog;
  readonly opened: { reads: number; subscriptions: number };
  readonly open: { reads: number; subscriptions: number };
} => {
  const opened = { reads: 0, subscriptions: 0 };
  const open = { reads: 0, subscriptions: 0 };
  const log: EventLog = {
    read: async function* (...given): AsyncGenerator<StoredEvent, undefined> {
      opened.reads += 1;
      open.reads += 1;
      try {
        for await (const event of store.read(...given)) {
          if (meddle(event) === 'end') return undefined;
          yield event;
        }
        return undefined;
      } finally {
        open.reads -= 1;
      }
    },
    subscribe: (...given): Subscription => {
      opened.subscriptions += 1;
      open.subscriptions += 1;
      const whole = store.subscribe(...given);
      return {
        cancel: () => {
          open.subscriptions -= 1;
          return whole.cancel();
        },
        async *[Symbol.asyncIterator]() {
          for await (const item of whole) {
            if (item.kind === 'event' && meddle(item.event) === 'end') return;
            yield item;
          }
        },
      };
    },
    head: () => store.head(),
    comparePositions: (a, b) => store.comparePositions(a, b),
    close: () => store.close(),
  };
  return { log, opened, open };
};

const nameOf = (item: LogItem): string =>
  item.kind === 'event' ? `${item.event.stream}@${item.event.revision}` : `broken ${item.break.event.stream}@${item.break.event.revision}`;
const read = async (log: EventLog, selection: Selection, upTo?: Position): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const item of logEvents(log, selection, upTo ?? (await log.head()), retry)) names.push(nameOf(item));
  return names;
};
const failingOnceAt = (name: string, error: Error): ((event: StoredEvent) => undefined) => {
  let hasFailed = false;
  return (event) => {
    if (hasFailed || nameOf({ kind: 'event', event }) !== name) return undefined;
    hasFailed = true;
    throw error;
  };
};
const failingOnceAtEach = (error: Error): ((event: StoredEvent) => undefined) => {
  const seen = new Set<string>();
  return (event) => {
    const name = nameOf({ kind: 'event', event });
    if (seen.has(name)) return undefined;
    seen.add(name);
    throw error;
  };
};
const breakingAt =
  (name: string) =>
  (event: StoredEvent): undefined => {
    if (nameOf({ kind: 'event', event }) === name) throw new BrokenChain(event, 'damaged');
    return undefined;
  };

describe('logEvents of a whole log', () => {
  it('yields each event once if the store is unavailable for a time', async () => {
    const { log, opened } = meddled(
      await written('order-1', 'order-2', 'order-1'),
      failingOnceAt('order-2@0', new StoreUnavailable('away')),
    );
    await expect(read(log, 'all')).resolves.toStrictEqual(['order-1@0', 'order-2@0', 'order-1@1']);
    expect(opened.subscriptions).toBe(2);
  });

  it('yields each event once if a subscription ends before the log does', async () => {
    let ended = 0;
    const { log, opened } = meddled(await written('order-1', 'order-2'), ({ stream: name }) =>
      name === 'order-2' && ended++ === 0 ? 'end' : undefined,
    );
    await expect(read(log, 'all')).resolves.toStrictEqual(['order-1@0', 'order-2@0']);
    expect(opened.subscriptions).toBe(2);
  });

  it('throws StoreUnavailable after eight consecutive subscriptions that end early', async () => {
    const { log, opened } = meddled(await written('order-1'), () => 'end');
    await expect(read(log, 'all')).rejects.toStrictEqual(new StoreUnavailable('the log’s subscription ended before the log did'));
    expect(opened.subscriptions).toBe(TRIES_MAX);
  });

  it('keeps retrying as long as each attempt yields a new event before it fails', async () => {
    const names = Array.from({ length: TRIES_MAX + 2 }, () => 'order-1');
    const expected = names.map((name, revision) => `${name}@${revision}`);
    for (const selection of ['all', [stream('order-1')]] as const) {
      const { log } = meddled(await written(...names), failingOnceAtEach(new StoreUnavailable('away')));
      await expect(read(log, selection)).resolves.toStrictEqual(expected);
    }
  });

  it('continues after an event that the store reports as damaged', async () => {
    const { log } = meddled(await written('order-1', 'order-2', 'order-3'), breakingAt('order-2@0'));
    await expect(read(log, 'all')).resolves.toStrictEqual(['order-1@0', 'broken order-2@0', 'order-3@0']);
  });

  it('reports no damage after the requested end position', async () => {
    const store = await written('order-1', 'order-2');
    const upTo = '1' as Position;
    const { log } = meddled(store, breakingAt('order-2@0'));
    await expect(read(log, 'all', upTo)).resolves.toStrictEqual(['order-1@0']);
  });

  it('rethrows an unexpected error without a retry', async () => {
    const fault = new Error('a fault of ours');
    const { log, opened } = meddled(await written('order-1'), failingOnceAt('order-1@0', fault));
    await expect(read(log, 'all')).rejects.toBe(fault);
    expect(opened.subscriptions).toBe(1);
  });
});

describe('logEvents of selected streams', () => {
  it('yields the other streams if one is damaged, at its first event or a later one', async () => {
    for (const [at, expected] of [
      ['order-1@0', ['broken order-1@0', 'order-2@0', 'order-2@1']],
      ['order-1@1', ['order-1@0', 'broken order-1@1', 'order-2@0', 'order-2@1']],
    ] as const) {
      const { log } = meddled(await written('order-1', 'order-2', 'order-1', 'order-2'), breakingAt(at));
      await expect(read(log, ['order-1', 'order-2'].map(stream))).resolves.toStrictEqual(expected);
    }
  });

  it('rethrows an unexpected error without a retry', async () => {
    const fault = new Error('a fault of ours');
    const { log, opened } = meddled(await written('order-1'), failingOnceAt('order-1@0', fault));
    await expect(read(log, [stream('order-1')])).rejects.toBe(fault);
    expect(opened.reads).toBe(1);
  });

  it('rejects a selection of more than 60 streams', async () => {
    const { log, opened } = meddled(await written('order-0'), () => undefined);
    const names = (count: number) => Array.from({ length: count }, (_, index) => stream(`order-${index}`));
    await expect(read(log, names(SELECTED_STREAMS_MAX))).resolves.toStrictEqual(['order-0@0']);
    expect(opened.reads).toBe(SELECTED_STREAMS_MAX);
    await expect(read(log, names(SELECTED_STREAMS_MAX + 1))).rejects.toStrictEqual(new Error('at most 60 streams at once, not 61'));
    expect(opened.reads).toBe(SELECTED_STREAMS_MAX);
  });
});

it('streamEvents resumes after the last event it yielded if a read fails part-way', async () => {
  const { log, opened } = meddled(await written('order-1', 'order-1'), failingOnceAt('order-1@1', new StoreUnavailable('away')));
  const revisions: Revision[] = [];
  for await (const { revision } of streamEvents(log, stream('order-1'), 0n as Revision, retry)) revisions.push(revision);
  expect([revisions, opened.reads]).toStrictEqual([[0n, 1n], 2]);
});

it.each<[string, Selection]>([
  ['the whole log', 'all'],
  ['selected streams', ['order-1', 'order-2'].map(stream)],
])('logEvents of %s closes its reads and subscriptions if the reader stops early', async (_, selection) => {
  const { log, open } = meddled(await written('order-1', 'order-2', 'order-1'), () => undefined);
  const upTo = await log.head();
  for await (const item of logEvents(log, selection, upTo, retry)) if (nameOf(item) === 'order-1@0') break;
  expect(open).toStrictEqual({ reads: 0, subscriptions: 0 });
});
