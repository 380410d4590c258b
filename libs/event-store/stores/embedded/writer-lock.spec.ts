import type { Instant } from '@app/kernel';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeWriterLock, WriterLocked } from './writer-lock';

const NOW = 1_704_067_200_000 as Instant;

const folder = mkdtempSync(join(tmpdir(), 'writer-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

let places = 0;
const place = (): string => {
  const made = join(folder, `place-${++places}`);
  mkdirSync(made);
  return made;
};

describe('writer lock of a log with several paths', () => {
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

describe('writer lock of a log', () => {
  it('throws if the path is a symbolic link in a cycle', () => {
    const real = place();
    const [one, two] = [join(real, 'one.sqlite'), join(real, 'two.sqlite')];
    symlinkSync(two, one);
    symlinkSync(one, two);
    expect(() => takeWriterLock(one, NOW)).toThrow(new Error(`${one} is a link that leads nowhere`));
  });

  it('names no process in the error if the lock file is missing or malformed', () => {
    const path = join(place(), 'events.sqlite');
    const lock = takeWriterLock(path, NOW);
    const refusal = new WriterLocked(`${path} is in use: another process writes it. An event log has one writer.`);
    for (const meddle of [() => writeFileSync(`${path}.lock`, 'null'), () => rmSync(`${path}.lock`)]) {
      meddle();
      expect(() => takeWriterLock(path, NOW)).toThrow(refusal);
    }
    lock.release();
  });

  it('throws an error other than WriterLocked if the lock file cannot be opened', () => {
    const path = join(place(), 'events.sqlite');
    mkdirSync(`${path}.lock-held`);
    const taking = (): unknown => takeWriterLock(path, NOW);
    expect(taking).toThrow();
    expect(taking).not.toThrow(WriterLocked);
    expect(taking).not.toThrow(/in use/);
  });

  it('leaves the lock with its next holder if the first holder releases it twice', () => {
    const path = join(place(), 'events.sqlite');
    const first = takeWriterLock(path, NOW);
    first.release();
    const second = takeWriterLock(path, NOW);
    first.release();
    expect(() => takeWriterLock(path, NOW)).toThrow(/is in use: process \d+ writes it/);
    second.release();
  });
});
