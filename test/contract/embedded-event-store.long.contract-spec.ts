import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokenChain, StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import { EmbeddedEventStore, WriterLocked, type EmbeddedEventStoreSettings } from '@app/event-store/stores/embedded';
import { collect, newEvents } from '@app/event-store/testing';
import { systemClock, systemScheduler } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { eventually, seededRandom, VirtualClock, wholeNumber } from '@app/testing';
import { ended, spokenLines } from '../support/processes/child-process';

const folder = mkdtempSync(join(tmpdir(), 'embedded-event-store-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(ended));
  rmSync(folder, { recursive: true });
});

const open = (name: string, more: Partial<EmbeddedEventStoreSettings> = {}): Promise<EmbeddedEventStore> =>
  EmbeddedEventStore.open({ path: join(folder, name), clock: systemClock, scheduler: systemScheduler, ...more });

const start = (file: string, ...args: readonly string[]): { child: ChildProcess; lines: readonly string[] } => {
  const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), join(__dirname, 'processes', file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, lines: spokenLines(child) };
};

describe('the writer of an embedded log', () => {
  it('refuses a second writer in this and other processes, 50 of 50 times, and names the holder', async () => {
    const store = await open('locked.sqlite');
    const path = join(folder, 'locked.sqlite');
    const holder = JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as { pid: number; startedAt: string };
    expect(holder.pid).toBe(process.pid);
    const message = `${path} is in use: process ${process.pid} writes it since ${holder.startedAt}. An event log has one writer.`;
    await expect(open('locked.sqlite')).rejects.toThrow(new WriterLocked(message));
    const { child, lines } = start('second-writer.ts', path, '50');
    await ended(child);
    expect(lines).toStrictEqual(Array.from({ length: 50 }, () => `WriterLocked: ${message}`));
    await expect(store.append('locked-1' as StreamName, 'no_stream', newEvents('a'))).resolves.toMatchObject({ kind: 'appended' });
    await store.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
    const next = await open('locked.sqlite');
    await next.close();
  }, 60_000);

  it('refuses appends on a full disk, still reads, and appends again once there is space (safety, F24)', async () => {
    const path = join(folder, 'full.sqlite');
    await (await open('full.sqlite')).close();
    const other = openDatabase(path);
    other.exec('CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (randomblob(400000))');
    const { page_count: pages } = other.prepare('PRAGMA page_count').get() as { page_count: number };
    const broken: Error[] = [];
    const store = await open('full.sqlite', { pagesMax: pages + 8, onBroken: (error) => broken.push(error) });
    const stored: StreamName[] = [];
    const refused: StreamName[] = [];
    const place = async (name: string): Promise<void> => {
      const stream = name as StreamName;
      await store.append(stream, 'no_stream', newEvents('a', 'b')).then(
        () => stored.push(stream),
        (error: unknown) => {
          expect(error).toBeInstanceOf(StoreUnavailable);
          refused.push(stream);
        },
      );
    };
    const placeMany = (round: string) => Promise.all(Array.from({ length: 64 }, (_, index) => place(`full-${round}x${index}`)));
    const eventsOf = async (streams: readonly StreamName[]) =>
      Promise.all(streams.map(async (stream) => (await collect(store.read(stream))).length));

    await place('full-first');
    for (let round = 0; refused.length === 0 && round < 100; round++) await placeMany(String(round));
    await place('full-late');
    expect(refused).toContain('full-late');
    expect(stored).toContain('full-first');
    expect(new Set(await eventsOf(stored))).toStrictEqual(new Set([2]));
    expect(new Set(await eventsOf(refused))).toStrictEqual(new Set([0]));

    other.exec('DELETE FROM filler');
    const [again = '' as StreamName] = refused.splice(0);
    await place(again);
    await placeMany('after');
    expect(refused).toStrictEqual([]);
    expect(new Set(await eventsOf(stored))).toStrictEqual(new Set([2]));
    expect(broken).toStrictEqual([]);
    await store.close();
    expect(other.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    other.close();
  }, 60_000);

  it('leaves one file and no lock after closing', async () => {
    const store = await open('tidy.sqlite');
    await store.append('tidy-1' as StreamName, 'no_stream', newEvents('a'));
    await store.close();
    expect(existsSync(join(folder, 'tidy.sqlite.lock'))).toBe(false);
    copyFileSync(join(folder, 'tidy.sqlite'), join(folder, 'copied.sqlite'));
    const copy = await open('copied.sqlite');
    expect(await collect(copy.read('tidy-1' as StreamName))).toHaveLength(1);
    await copy.close();
  });

  const kills = wholeNumber('WRITER_KILLS', 5);
  it(`loses no acknowledged event and splits no batch if killed (${kills} times), and its successor opens at once`, async () => {
    const path = join(folder, 'killed.sqlite');
    const random = seededRandom(7);
    const acknowledged = new Map<string, number>();
    for (let life = 0; life < kills; life++) {
      const { child, lines } = start('endless-writer.ts', path, `${life}`);
      const enough = 1 + Math.floor(random.fraction() * 400);
      await eventually(() => lines.length > enough || child.exitCode !== null, { seen: () => lines.length, limitMs: 20_000 });
      child.kill('SIGKILL');
      await ended(child);
      expect(child.signalCode).toBe('SIGKILL');
      for (const line of lines.slice(1)) {
        const [stream = '', revision = ''] = line.split(' ');
        acknowledged.set(stream, Number(revision));
      }
      expect(existsSync(`${path}.lock`)).toBe(true);
      const store = await open('killed.sqlite');
      for (const [stream, revision] of acknowledged) {
        const events = await collect(store.read(stream as StreamName));
        expect(events.length).toBeGreaterThan(revision);
        expect(events.length % 3).toBe(0);
        expect(events.map((event) => Number(event.revision))).toStrictEqual(events.map((_, index) => index));
      }
      await store.close();
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(kills);
    const db = openDatabase(path, { readOnly: true });
    expect({ ...(db.prepare('PRAGMA integrity_check').get() as object) }).toStrictEqual({ integrity_check: 'ok' });
    db.close();
  }, 120_000);
});

describe('an embedded log shared with other processes', () => {
  it('can be read by other processes during writes, and their subscriptions poll every 50 ms', async () => {
    const store = await open('read.sqlite');
    const clock = new VirtualClock();
    const reader = EmbeddedEventStore.openReader({ path: join(folder, 'read.sqlite'), scheduler: clock });
    await store.append('read-1' as StreamName, 'no_stream', newEvents('a'));
    expect(await collect(reader.read('read-1' as StreamName))).toHaveLength(1);
    await expect(reader.head()).resolves.toBe(await store.head());
    const seen: string[] = [];
    const subscription = reader.subscribe(['read'], 'start');
    const watching = (async () => {
      for await (const item of subscription) seen.push(item.kind === 'event' ? String(item.event.revision) : item.kind);
    })();
    await eventually(() => seen.length === 2);
    expect(seen).toStrictEqual(['0', 'caught-up']);
    await store.append('read-1' as StreamName, 0n as never, newEvents('b'));
    await clock.advance(49);
    expect(seen).toHaveLength(2);
    await clock.advance(1);
    await eventually(() => seen.length === 3);
    expect(seen[2]).toBe('1');
    await reader.close();
    await watching;
    await store.close();
  });

  it('reports that nothing was stored while another process locks the file, and recovers afterwards', async () => {
    const store = await open('busy.sqlite');
    const other = openDatabase(join(folder, 'busy.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const append = () => store.append('busy-1' as StreamName, 'no_stream', newEvents('a'));
    await expect(append()).rejects.toThrow(StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    await expect(append()).resolves.toMatchObject({ kind: 'appended', revision: 0n });
    await store.close();
  }, 20_000);
});

describe('disk damage', () => {
  const damage = (name: string, column: 'data' | 'metadata' | 'type' | 'id', position: number): void => {
    const db = openDatabase(join(folder, name));
    db.prepare(`UPDATE events SET ${column} = replace(${column}, substr(${column}, 3, 1), '~') WHERE position = ?`).run(position);
    db.close();
  };

  it.each(['data', 'metadata', 'type', 'id'] as const)(
    'to the %s of an event is detected by a read and by a subscription',
    async (column) => {
      const name = `damaged-${column}.sqlite`;
      const store = await open(name);
      for (const stream of ['damaged-1', 'damaged-2', 'damaged-3'])
        await store.append(stream as StreamName, 'no_stream', newEvents(`${stream}-a`));
      damage(name, column, 2);
      // The writing store still has the events in memory, so another one reads them.
      const reader = EmbeddedEventStore.openReader({ path: join(folder, name), scheduler: new VirtualClock() });
      await expect(collect(reader.read('damaged-1' as StreamName))).resolves.toHaveLength(1);
      await expect(collect(reader.read('damaged-2' as StreamName))).rejects.toThrow(BrokenChain);
      const seen: StoredEvent[] = [];
      const watching = (async () => {
        for await (const item of reader.subscribe(['damaged'], 'start')) if (item.kind === 'event') seen.push(item.event);
      })();
      await expect(watching).rejects.toThrow('damaged-2 revision 0 (position 2): the row does not fit its checksum');
      expect(seen.map(({ stream }) => stream)).toStrictEqual(['damaged-1']);
      const after: string[] = [];
      for await (const item of reader.subscribe(['damaged'], '2' as Position)) {
        if (item.kind === 'caught-up') break;
        if (item.kind === 'event') after.push(item.event.stream);
      }
      expect(after).toStrictEqual(['damaged-3']);
      await reader.close();
      await store.close();
    },
  );
});
