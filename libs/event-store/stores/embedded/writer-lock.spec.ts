import type { Instant } from '@app/kernel';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeWriterLock, WriterLocked } from './writer-lock';

const NOW = 1_704_067_200_000 as Instant;

const folder = mkdtempSync(join(tmpdir(), 'writer-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

let places = 0;
/** Creates a folder with a log in it. */
const place = (): string => {
  const made = join(folder, `place-${++places}`);
  mkdirSync(made);
  return made;
};

describe('the writer lock of a log with several paths', () => {
  it.each([
    [
      'a link to its folder',
      (real: string) => {
        symlinkSync(real, `${real}-link`);
        return join(`${real}-link`, 'events.sqlite');
      },
    ],
    [
      'a link to its file',
      (real: string) => {
        symlinkSync(join(real, 'events.sqlite'), join(real, 'other.sqlite'));
        return join(real, 'other.sqlite');
      },
    ],
    [
      'a link to a link',
      (real: string) => {
        symlinkSync('events.sqlite', join(real, 'one.sqlite'));
        symlinkSync('one.sqlite', join(real, 'two.sqlite'));
        return join(real, 'two.sqlite');
      },
    ],
    ['another spelling', (real: string) => `${real}/../${real.slice(folder.length + 1)}/events.sqlite`],
  ])('refuses a second writer by %s', (_, linked) => {
    for (const exists of [true, false]) {
      const real = place();
      const path = join(real, 'events.sqlite');
      if (exists) writeFileSync(path, '');
      const other = linked(real);
      const lock = takeWriterLock(path, NOW);
      expect(() => takeWriterLock(other, NOW)).toThrow(WriterLocked);
      lock.release();
      const second = takeWriterLock(other, NOW);
      expect(() => takeWriterLock(path, NOW)).toThrow(WriterLocked);
      second.release();
      takeWriterLock(path, NOW).release();
    }
  });
});
