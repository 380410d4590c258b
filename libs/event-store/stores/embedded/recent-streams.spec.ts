import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemScheduler } from '@app/kernel';
import type { EventId, EventStore, NewEvent, Revision, StoredEvent, StreamName } from '../../core/port';
import { EmbeddedEventStore } from './embedded-event-store';

const folder = mkdtempSync(join(tmpdir(), 'recent-streams-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newEvent = (): NewEvent => ({
  id: randomUUID() as EventId,
  type: 'Tested',
  data: '{}',
  metadata: '{"schemaVersion":1}',
});

describe('cached streams of the embedded store', () => {
  it('contain every acknowledged event, however often they were read before', async () => {
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

  it('equal what another process reads, for streams written in one append or several and for repeated appends', async () => {
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
