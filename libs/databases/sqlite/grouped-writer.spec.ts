import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './database';
import { GroupedWriter, WriteRefused } from './grouped-writer';

const folder = mkdtempSync(join(tmpdir(), 'grouped-writer-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (name: string, more: { waitingJobsMax?: number; groupJobsMax?: number } = {}) =>
  GroupedWriter.open<{ name: string }, number>({
    path: join(folder, name),
    workerFile: join(__dirname, '..', 'testing', 'tally.worker'),
    callerFile: __filename,
    ...more,
  });
const rows = (name: string): unknown[] =>
  openDatabase(join(folder, name), { readOnly: true })
    .prepare('SELECT name, count FROM tally ORDER BY name')
    .all()
    .map((row) => ({ ...(row as object) }));

describe('a grouped writer', () => {
  it('answers each job with its result, in order, once it is stored', async () => {
    const writer = await open('order.sqlite');
    const results = await Promise.all(Array.from({ length: 1_000 }, (_, index) => writer.submit({ name: `n${index % 10}` })));
    expect(results).toEqual(Array.from({ length: 1_000 }, (_, index) => Math.floor(index / 10) + 1));
    expect(rows('order.sqlite')).toHaveLength(10);
    await writer.close();
  });

  it('fails only the job that throws, and stores nothing of it', async () => {
    const writer = await open('poison.sqlite');
    const names = ['a', 'poison', 'b'];
    const results = await Promise.allSettled(names.map((name) => writer.submit({ name })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(WriteRefused);
    expect(rows('poison.sqlite')).toEqual([
      { name: 'a', count: 1 },
      { name: 'b', count: 1 },
    ]);
    await writer.close();
  });

  it('rejects jobs above its queue limit and accepts more once there is room', async () => {
    const writer = await open('bounded.sqlite', { waitingJobsMax: 2 });
    const waiting = [writer.submit({ name: 'a' }), writer.submit({ name: 'a' })];
    await expect(writer.submit({ name: 'a' })).rejects.toThrow('too many writes are waiting');
    await expect(Promise.all(waiting)).resolves.toEqual([1, 2]);
    await expect(writer.submit({ name: 'a' })).resolves.toBe(3);
    await writer.close();
  });

  it('stores jobs submitted before it closes and rejects later ones', async () => {
    const writer = await open('close.sqlite');
    const last = writer.submit({ name: 'a' });
    await writer.close();
    await expect(last).resolves.toBe(1);
    await expect(writer.submit({ name: 'a' })).rejects.toThrow('the writer is closed');
    expect(rows('close.sqlite')).toEqual([{ name: 'a', count: 1 }]);
  });

  it('reports why a file cannot be opened', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    await expect(open('a-file/x.sqlite')).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
