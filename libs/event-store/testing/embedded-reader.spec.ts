import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemScheduler } from '@app/kernel';
import { openDatabase } from '@app/sqlite';
import { VirtualClock } from '@app/testing';
import { BrokenChain } from '../chain/chain';
import { StoreDamaged, StoreUnavailable, type Position, type StreamName } from '../core/port';
import { ChainedWriter } from './chained-writer';
import { EmbeddedEventStore } from '../stores/embedded';
import { SqliteEventLogReader } from '../stores/embedded/event-log-reader';

const STREAM = 'payment-1' as StreamName;

describe('a reader of the embedded log', () => {
  let folder: string;
  let reader: SqliteEventLogReader;

  /** A log of three events of one stream that somebody changed, and a reader of it. */
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

  it('reads what was written', async () => {
    await changed('SELECT 1');
    await expect(revisions()).resolves.toEqual([0, 1, 2]);
  });

  it('says that the log is damaged where a row holds a number that JavaScript cannot hold, since no later attempt can read it', async () => {
    await changed('UPDATE events SET created_ms = 9007199254740993 WHERE revision = 1');
    await expect(revisions()).rejects.toThrow(StoreDamaged);
    expect(() => reader.whole(STREAM)).toThrow(StoreDamaged);
  });

  it('says that the log is away where SQLite refuses for another reason', async () => {
    await changed('ALTER TABLE events RENAME TO kept; CREATE VIEW events AS SELECT * FROM kept WHERE abs(-9223372036854775807 - 1)');
    await expect(revisions()).rejects.toThrow(StoreUnavailable);
  });

  it('reads a run behind one position up to another, over as many parts as it takes', async () => {
    const path = join(folder, 'events.sqlite');
    const store = await EmbeddedEventStore.open({ path, clock: new VirtualClock(), scheduler: systemScheduler });
    await new ChainedWriter(store).write(STREAM, 250);
    await store.close();
    reader = new SqliteEventLogReader(path);
    const run = (after: Position | 'start', to: string): readonly string[] =>
      [...reader.between(after, to as Position)].map(({ position }) => position);
    const positions = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, at) => String(from + at + 1));
    expect(run('start', '250')).toStrictEqual(positions(0, 250));
    expect(run('99' as Position, '201')).toStrictEqual(positions(99, 201));
    expect(run('200' as Position, '300')).toStrictEqual(positions(200, 250));
    expect([run('7' as Position, '7'), run('9' as Position, '7'), run('250' as Position, '9999')]).toStrictEqual([[], [], []]);
  });

  it('ends a run at a row that is not what was written, behind those before it', async () => {
    await changed("UPDATE events SET data = '{}' WHERE position = 2");
    const run = reader.between('start', '3' as Position);
    expect(run.next()).toMatchObject({ value: { position: '1' } });
    expect(() => run.next()).toThrow(BrokenChain);
  });

  it('says of a run, too, whether the log is damaged or away', async () => {
    await changed('UPDATE events SET created_ms = 9007199254740993 WHERE revision = 1');
    expect(() => [...reader.between('start', '3' as Position)]).toThrow(StoreDamaged);
    await reader.close();
    expect(() => [...reader.between('start', '3' as Position)]).toThrow(StoreUnavailable);
  });

  it('never reads past an event that is gone', async () => {
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
