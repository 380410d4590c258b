import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NonEmpty, systemClock, systemScheduler } from '@app/kernel';
import type { EventId, Position, Revision, StoredEvent, StreamName, EventStore, NewEvent } from '../../core/port';
import { LogTail } from './log-tail';
import { EmbeddedEventStore } from './embedded-event-store';

const CATEGORIES = ['payment', 'recurring', 'transfer'] as const;

const eventAt = (position: number, length = 2): StoredEvent => ({
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}` as EventId,
  type: 'Tested',
  data: 'x'.repeat(length),
  metadata: '',
  stream: `${CATEGORIES[position % 3] ?? 'payment'}-a` as StreamName,
  revision: BigInt(position) as Revision,
  position: String(position) as Position,
  createdMs: 0,
});

const eventsAt = (first: number, count: number, length?: number): NonEmpty<StoredEvent> => [
  eventAt(first, length),
  ...Array.from({ length: count - 1 }, (_, index) => eventAt(first + 1 + index, length)),
];

const positions = (events: readonly StoredEvent[]): readonly number[] => events.map(({ position }) => Number(position));

const PAGE = fc.record({ kind: fc.constant('page' as const), back: fc.nat(3_000), categories: fc.subarray([...CATEGORIES]) });
const COMMIT = fc.record({ kind: fc.constant('commit' as const), count: fc.integer({ min: 1, max: 700 }), isAnswered: fc.boolean() });

describe('LogTail', () => {
  it('returns either all acknowledged events after a position or undefined', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(PAGE, COMMIT), { maxLength: 40 }), (steps) => {
        const tail = new LogTail();
        let head = 0;
        let answered = 0;
        for (const step of steps) {
          if (step.kind === 'commit') {
            if (step.isAnswered) {
              tail.add(eventsAt(head + 1, step.count));
              answered = head + step.count;
            }
            head += step.count;
            continue;
          }
          const after = Math.max(0, head - step.back);
          const page = tail.page(step.categories.length === 0 ? undefined : new Set(step.categories), String(after) as Position);
          if (page === undefined) continue;
          const wanted = step.categories.length === 0 ? [...CATEGORIES] : step.categories;
          const all = Array.from({ length: answered - after }, (_, index) => after + 1 + index);
          expect(positions(page.events)).toEqual(all.filter((position) => wanted.includes(CATEGORIES[position % 3] ?? 'payment')));
          expect(page).toMatchObject({ scannedTo: String(answered), isAtEnd: true });
        }
      }),
    );
  });

  it('returns the latest events, an empty page at its end, and undefined outside its range', () => {
    const tail = new LogTail();
    expect(tail.page(undefined, '0' as Position)).toBeUndefined();
    tail.add(eventsAt(5, 2));
    expect(tail.page(undefined, '3' as Position)).toBeUndefined();
    expect(positions(tail.page(undefined, '4' as Position)?.events ?? [])).toEqual([5, 6]);
    expect(tail.page(undefined, '6' as Position)).toEqual({ events: [], scannedTo: '6', isAtEnd: true });
    expect(tail.page(undefined, '7' as Position)).toBeUndefined();
  });

  it('drops its earlier events if an append leaves a gap', () => {
    const tail = new LogTail();
    tail.add(eventsAt(1, 2));
    tail.add(eventsAt(5, 1));
    expect(tail.page(undefined, '2' as Position)).toBeUndefined();
    expect(positions(tail.page(undefined, '4' as Position)?.events ?? [])).toEqual([5]);
  });

  it('returns undefined, until the next append, after it receives an older event', () => {
    const tail = new LogTail();
    tail.add(eventsAt(5, 1));
    tail.add(eventsAt(4, 1));
    for (const after of ['3', '4', '5']) expect(tail.page(undefined, after as Position)).toBeUndefined();
    tail.add(eventsAt(6, 1));
    expect(positions(tail.page(undefined, '5' as Position)?.events ?? [])).toEqual([6]);
  });

  it('keeps at most 2,000 events and at most 40 large ones', () => {
    const kept = (length: number, count: number): number => {
      const tail = new LogTail();
      for (let position = 1; position <= count; position++) tail.add([eventAt(position, length)]);
      for (let after = 0; after <= count; after++) {
        const page = tail.page(undefined, String(after) as Position);
        if (page !== undefined) return page.events.length;
      }
      return 0;
    };
    expect(kept(2, 10_000)).toBeGreaterThanOrEqual(1_000);
    expect(kept(2, 10_000)).toBeLessThanOrEqual(2_000);
    expect(kept(100_000, 200)).toBeGreaterThanOrEqual(19);
    expect(kept(100_000, 200)).toBeLessThanOrEqual(40);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'recent-streams-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newEvent = (): NewEvent => ({
  id: randomUUID() as EventId,
  type: 'Tested',
  data: '{}',
  metadata: '{"schemaVersion":1}',
});

describe('stream cache of EmbeddedEventStore', () => {
  it('contains every acknowledged event after repeated reads', async () => {
    const store = await EmbeddedEventStore.open({ path: join(folder, 'log.sqlite'), clock: systemClock, scheduler: systemScheduler });
    const stream = 'payment-again' as StreamName;
    const ids = async (from?: Revision) => {
      const found: string[] = [];
      for await (const { id } of store.read(stream, from)) found.push(id);
      return found;
    };
    const events = Array.from({ length: 40 }, newEvent);
    for (const [index, event] of events.entries()) {
      await Promise.all([ids(), store.append(stream, index === 0 ? 'no_stream' : (BigInt(index - 1) as Revision), [event]), ids()]);
      const expected = events.slice(0, index + 1).map(({ id }) => id);
      expect(await ids()).toEqual(expected);
      expect(await ids()).toEqual(expected);
      expect(await ids(BigInt(index) as Revision)).toEqual([event.id]);
      expect(await ids(BigInt(index + 1) as Revision)).toEqual([]);
    }
    await store.close();
  });

  it('equals the stream that another process reads, after single, batched and repeated appends', async () => {
    const path = join(folder, 'written.sqlite');
    const store = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
    const beside = EmbeddedEventStore.openReader({ path, scheduler: systemScheduler });
    const stream = 'payment-written' as StreamName;
    const read = async (from: Pick<EventStore, 'read'>) => {
      const found: StoredEvent[] = [];
      for await (const event of from.read(stream)) found.push(event);
      return found;
    };
    await store.append('payment-other' as StreamName, 'no_stream', [newEvent()]);
    const second: [NewEvent] = [newEvent()];
    await Promise.all([
      store.append(stream, 'no_stream', [newEvent(), newEvent(), newEvent()]),
      store.append(stream, 2n as Revision, second),
      store.append('payment-third' as StreamName, 'no_stream', [newEvent()]),
    ]);
    expect(await read(store)).toStrictEqual(await read(beside));
    await expect(store.append(stream, 2n as Revision, second)).resolves.toMatchObject({ kind: 'appended', revision: 3n });
    expect(await read(store)).toStrictEqual(await read(beside));
    await expect(store.append(stream, 'no_stream', [newEvent()])).resolves.toStrictEqual({ kind: 'conflict', actual: 3n });
    await store.append(stream, 3n as Revision, [newEvent()]);
    expect(await read(store)).toStrictEqual(await read(beside));
    expect(await read(store)).toHaveLength(5);
    await beside.close();
    await store.close();
  });
});
