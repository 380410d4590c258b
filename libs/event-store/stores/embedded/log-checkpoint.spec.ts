import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemScheduler } from '@app/kernel';
import type { EventId, StreamName } from '../../core/port';
import { EmbeddedEventStore } from './embedded-event-store';

const MIB = 1_048_576;
/** Near the maximum size of an event, so that few appends write much. */
const EVENT_BYTES = 800_000;

const folder = mkdtempSync(join(tmpdir(), 'log-checkpoint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('EmbeddedEventStore checkpoints the write-ahead log at 16 MiB, not before', async () => {
  const path = join(folder, 'events.sqlite');
  const store = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
  const append = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at++) {
      const id = randomUUID() as EventId;
      const data = JSON.stringify('x'.repeat(EVENT_BYTES));
      await store.append(`test-${at}` as StreamName, 'no_stream', [{ id, type: 'Tested', data, metadata: '{"schemaVersion":1}' }]);
    }
  };
  const walMiB = (): number => statSync(`${path}-wal`).size / MIB;
  try {
    await append(0, 15);
    expect(walMiB()).toBeGreaterThan(11);
    expect(statSync(path).size / MIB).toBeLessThan(1);
    await append(15, 60);
    expect(walMiB()).toBeLessThan(18);
    expect(statSync(path).size / MIB).toBeGreaterThan(28);
  } finally {
    await store.close();
  }
});
