import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeDatabase, openDatabase, type Database } from './database';
import { GroupedWriter, WriteRefused } from './grouped-writer';

const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
const mount = (...options: string[]): void => void execFileSync('mount', [...options, 'tmpfs', folder], { stdio: 'ignore' });

/** Needs the right to mount a small file system. */
const canMount = ((): boolean => {
  try {
    mount('-t', 'tmpfs', '-o', 'size=300k');
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  // Statements of an ending thread may still keep its file open.
  if (canMount) execFileSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true });
});

const JOBS_MAX = 10_000;

describe('a shutdown on a full disk (safety, F24)', () => {
  (canMount ? it : it.skip)('loses no acknowledged write, and the next start finds each of them (needs the right to mount)', async () => {
    const path = join(folder, 'tally.sqlite');
    const broken: Error[] = [];
    const writer = await GroupedWriter.open<{ name: string }, number>({
      path,
      name: 'the tally',
      workerFile: join(__dirname, '..', 'testing', 'tally.worker'),
      callerFile: __filename,
      onBroken: (error) => broken.push(error),
    });
    let stored = 0;
    let refusal: unknown;
    while (refusal === undefined && stored < JOBS_MAX) {
      await writer.submit({ name: `${stored}`.padEnd(2_000, '.') }).then(
        () => (stored += 1),
        (error: unknown) => (refusal = error),
      );
    }
    expect(refusal).toEqual(new WriteRefused(`the tally ${path} cannot be written: database or disk is full. Make room on its volume`));
    expect(stored).toBeGreaterThan(0);
    await expect(writer.assertRoom()).rejects.toBe(refusal);
    mount('-o', 'remount,size=10m');
    let isAsking = true;
    const asking = writer.assertRoom().finally(() => (isAsking = false));
    const trialBytes: number[] = [];
    while (isAsking) {
      trialBytes.push(statSync(`${path}.trial`, { throwIfNoEntry: false })?.size ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await asking;
    expect(readdirSync(folder).filter((name) => name.endsWith('.trial'))).toStrictEqual([]);
    mount('-o', 'remount,size=300k');
    await writer.close();
    expect(Math.max(...trialBytes)).toBe(0);
    expect(broken).toStrictEqual([]);

    mount('-o', 'remount,size=10m');
    const again = openDatabase(path);
    expect({ ...again.prepare('SELECT count(*) AS count FROM tally').get() }).toStrictEqual({ count: stored });
    closeDatabase(again);
  });

  it('closes without a checkpoint on a full disk and throws any other failure', () => {
    const closing = (errcode: number): [Database, string[]] => {
      const calls: string[] = [];
      const exec = (): void => {
        throw Object.assign(new Error(`error ${errcode}`), { errcode });
      };
      return [{ isOpen: true, exec, close: () => calls.push('close') } as unknown as Database, calls];
    };
    const [full, calls] = closing(13);
    closeDatabase(full);
    expect(calls).toStrictEqual(['close']);
    const [failing] = closing(10);
    expect(() => closeDatabase(failing)).toThrow('error 10');
  });
});
