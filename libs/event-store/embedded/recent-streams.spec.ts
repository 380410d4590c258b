import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemScheduler } from '@app/kernel';
import type { EventId, NewEvent, Revision, StreamName } from '../port';
import { EmbeddedEventStore } from './embedded-event-store';

const folder = mkdtempSync(join(tmpdir(), 'recent-streams-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newEvent = (): NewEvent => ({
  id: randomUUID() as EventId,
  type: 'Tested',
  data: '{}',
  metadata: '{"schemaVersion":1}',
});

describe('streams read again', () => {
  it('show every acknowledged event, however often they were read before it', async () => {
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
});
