import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { systemClock, systemScheduler } from '@app/kernel';
import { openDatabase, startDatabaseThread } from '@app/databases/sqlite';
import { BrokenChain } from '../core/chain';
import type { Position, StreamName, SubscriptionItem } from '../core/port';
import { chainedEvents } from './chained-writer';
import { EmbeddedEventStore } from '../stores/embedded';
import { SqliteEventLogReader } from '../stores/embedded/event-log-reader';
import { PagesAhead } from '../stores/embedded/pages-ahead';
import type { FromPageReader } from '../stores/embedded/pages-ahead.messages';

const STREAMS = ['payment-a', 'delivery-b', 'payment-c'] as StreamName[];
const APPENDS = 120;
const EVENTS_PER_APPEND = 10;
/** Three pages, the last of them not full. */
const EVENTS = APPENDS * EVENTS_PER_APPEND;
const LONG = 100;

const folder = mkdtempSync(join(tmpdir(), 'pages-ahead-'));
const path = join(folder, 'events.sqlite');
let stores: EmbeddedEventStore[] = [];
let readers: SqliteEventLogReader[] = [];

const append = async (store: EmbeddedEventStore, number: number): Promise<void> => {
  const stream = `${STREAMS[number % STREAMS.length] ?? ''}${number}` as StreamName;
  await store.append(stream, 'no_stream', chainedEvents(stream, 'no_stream', EVENTS_PER_APPEND, 'request', `content é ${number}`).events);
};

const filled = async (at: string): Promise<EmbeddedEventStore> => {
  const store = await EmbeddedEventStore.open({ path: at, clock: systemClock, scheduler: systemScheduler });
  stores.push(store);
  for (let number = 0; number < APPENDS; number++) await append(store, number);
  return store;
};

beforeAll(() => filled(path));
afterAll(async () => {
  for (const store of stores) await store.close();
  stores = [];
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  for (const reader of readers) await reader.close();
  readers = [];
});

const open = (readsAhead: boolean | number, at = path): SqliteEventLogReader => {
  const reader = new SqliteEventLogReader(at, { scheduler: systemScheduler, readsAhead });
  readers.push(reader);
  return reader;
};

/** All that a subscription delivers until it has come so far. */
const delivered = async (
  reader: SqliteEventLogReader,
  categories: readonly string[] | 'all',
  after: Position | 'start',
  isEnough: (item: SubscriptionItem) => boolean = ({ kind }) => kind === 'caught-up',
): Promise<readonly SubscriptionItem[]> => {
  const items: SubscriptionItem[] = [];
  const subscription = reader.subscribe(categories, after);
  try {
    for await (const item of subscription) {
      items.push(item);
      if (isEnough(item)) break;
    }
  } finally {
    await subscription.cancel();
  }
  return items;
};

describe('a log that is read ahead in a second thread', () => {
  it.each<[string, readonly string[] | 'all', Position | 'start']>([
    ['whole', 'all', 'start'],
    ['of some categories', ['delivery', 'transfer'], 'start'],
    ['of a category without events', ['transfer'], 'start'],
    ['from a position on', 'all', '333' as Position],
    ['from its end on', 'all', String(EVENTS) as Position],
  ])('is delivered as without it: %s', async (_what, categories, after) => {
    const expected = await delivered(open(false), categories, after);
    expect(await delivered(open(LONG), categories, after)).toStrictEqual(expected);
    expect(expected.at(-1)).toStrictEqual({ kind: 'caught-up' });
  });

  it('is read here where the way is short, or nobody asked for more', async () => {
    const begun = jest.spyOn(PagesAhead.prototype, 'begin');
    await delivered(open(false), 'all', 'start');
    await delivered(open(true), 'all', 'start');
    await delivered(open(LONG), 'all', String(EVENTS - LONG + 1) as Position);
    expect(begun).not.toHaveBeenCalled();
    await delivered(open(LONG), 'all', String(EVENTS - LONG) as Position);
    expect(begun).toHaveBeenCalledTimes(1);
    begun.mockRestore();
  });

  it('goes on with what comes later, here', async () => {
    // A log of its own: the others count the events of theirs, in whatever order they run.
    const growing = join(folder, 'growing.sqlite');
    const store = await filled(growing);
    const reader = open(LONG, growing);
    const before = await delivered(reader, 'all', 'start');
    const wanted = before.length + EVENTS_PER_APPEND;
    let count = 0;
    const following = delivered(reader, 'all', 'start', () => ++count === wanted);
    await append(store, APPENDS);
    const after = await following;
    expect(after.filter(({ kind }) => kind === 'event')).toHaveLength(EVENTS + EVENTS_PER_APPEND);
  });

  it('lets several go their own ways at once', async () => {
    const reader = open(LONG);
    const expected = await Promise.all([delivered(open(false), 'all', 'start'), delivered(open(false), ['payment'], '200' as Position)]);
    expect(await Promise.all([delivered(reader, 'all', 'start'), delivered(reader, ['payment'], '200' as Position)])).toStrictEqual(
      expected,
    );
  });

  it('ends a way that is left in the middle, and closes', async () => {
    const reader = open(LONG);
    const items = await delivered(reader, 'all', 'start', ({ kind }) => kind === 'event');
    expect(items).toHaveLength(1);
    const subscription = reader.subscribe('all', 'start')[Symbol.asyncIterator]();
    const next = subscription.next();
    await reader.close();
    await expect(next).resolves.toStrictEqual({ done: true, value: undefined });
  });

  it('is delivered whole where the second thread cannot read it', async () => {
    const gone = new PagesAhead(join(folder, 'no-such.sqlite'));
    await expect(gone.begin(undefined, '0' as Position).next()).resolves.toBeUndefined();
    await expect(gone.begin(undefined, '0' as Position).next()).resolves.toBeUndefined();
    await gone.close();
  });

  it('is no further ahead than it was allowed to be', async () => {
    const reading = startDatabaseThread(join(__dirname, '../stores/embedded/pages-ahead.worker'), __filename, { workerData: path });
    const ways: number[] = [];
    const untilPageOf = (way: number) =>
      new Promise<void>((resolve) =>
        reading.on('message', (message: FromPageReader) => {
          if (message.way === way) resolve();
        }),
      );
    reading.on('message', (message: FromPageReader) => ways.push(message.way));
    const begin = (way: number) => reading.postMessage({ kind: 'begin', way, categories: undefined, after: '0', pages: 1 });
    for (const way of [1, 2]) {
      const arrived = untilPageOf(way);
      begin(way);
      await arrived;
    }
    reading.postMessage({ kind: 'more', way: 1 });
    await new Promise<void>((resolve) => reading.on('message', () => ways.length === 3 && resolve()));
    expect(ways).toStrictEqual([1, 2, 1]);
    reading.postMessage({ kind: 'close' });
    await once(reading, 'exit');
  });

  it('fails at a damaged event as without it, after all events before', async () => {
    const copy = join(folder, 'damaged.sqlite');
    const db = openDatabase(path);
    db.exec(`VACUUM INTO '${copy}'`);
    db.close();
    const damaged = openDatabase(copy);
    damaged.exec(`UPDATE events SET data = '{"content":"other"}' WHERE position = 777`);
    damaged.close();
    for (const readsAhead of [false, LONG]) {
      let count = 0;
      const walk = delivered(open(readsAhead, copy), 'all', 'start', () => ++count > EVENTS);
      await expect(walk).rejects.toThrow(BrokenChain);
      expect(count).toBe(776);
    }
  });
});
