import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemScheduler } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { VirtualClock } from '@app/testing';
import { BrokenChain } from '../core/chain';
import { StoreDamaged, StoreUnavailable, type StreamName } from '../core/port';
import { ChainedWriter } from './chained-writer';
import { EmbeddedEventStore } from '../stores/embedded';
import { SqliteEventLogReader } from '../stores/embedded/event-log-reader';

const STREAM = 'payment-1' as StreamName;

describe('SqliteEventLogReader', () => {
  let folder: string;
  let reader: SqliteEventLogReader;

  const changed = async (sql: string): Promise<void> => {
    const path = join(folder, 'events.sqlite');
    const store = await EmbeddedEventStore.open({ path, clock: new VirtualClock(), scheduler: systemScheduler });
    await new ChainedWriter(store).write(STREAM, 3);
    await store.close();
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
    reader = new SqliteEventLogReader(path);
  };
  const revisions = async (): Promise<readonly number[]> => {
    const found: number[] = [];
    for await (const { revision } of reader.read(STREAM)) found.push(Number(revision));
    return found;
  };

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'log-reader-'))));
  afterEach(async () => {
    await reader.close();
    rmSync(folder, { recursive: true });
  });

  it('reads the events that were written', async () => {
    await changed('SELECT 1');
    await expect(revisions()).resolves.toEqual([0, 1, 2]);
  });

  it('throws StoreDamaged if a row has a number outside the safe integers, since no retry can read it', async () => {
    await changed('UPDATE events SET created_ms = 9007199254740993 WHERE revision = 1');
    await expect(revisions()).rejects.toThrow(StoreDamaged);
    expect(() => reader.whole(STREAM)).toThrow(StoreDamaged);
  });

  it('throws StoreUnavailable if SQLite fails for another reason', async () => {
    await changed('ALTER TABLE events RENAME TO kept; CREATE VIEW events AS SELECT * FROM kept WHERE abs(-9223372036854775807 - 1)');
    await expect(revisions()).rejects.toThrow(StoreUnavailable);
  });

  it('throws BrokenChain at a missing event', async () => {
    await changed('DELETE FROM events WHERE revision = 1');
    const gone = /revision 1 before it is missing/;
    await expect(revisions()).rejects.toThrow(BrokenChain);
    await expect(revisions()).rejects.toThrow(gone);
    expect(() => reader.whole(STREAM)).toThrow(gone);
  });

  it.each([
    ['no category', 0],
    ['33 categories', 33],
  ])('refuses a subscription to %s', async (_what, count) => {
    await changed('SELECT 1');
    const categories = Array.from({ length: count }, (_, index) => `category${index}`);
    expect(() => reader.subscribe(categories, 'start')).toThrow(new Error('1 to 32 categories are expected'));
  });

  it('refuses a subscription once it is closed', async () => {
    await changed('SELECT 1');
    await reader.close();
    expect(() => reader.subscribe('all', 'start')).toThrow(new StoreUnavailable('the event log is closed'));
  });
});
