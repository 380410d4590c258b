import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCount, type CountSettings, type CountState } from './count';
import type { CountedRow, Portion } from './row';
import { ROWS } from './rows';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'counts-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Counts five at a time, by a program that fails where it is told to. */
const fake = (ran: Portion[], fails: (portion: Portion) => boolean): CountedRow => ({
  name: 'fake',
  id: 'B0',
  unit: 'things',
  count: 10,
  portionSize: 5,
  needsBuild: false,
  command: (portion) => {
    ran.push(portion);
    return { program: process.execPath, parameters: ['-e', `process.exit(${fails(portion) ? 1 : 0})`], environment: {} };
  },
});

const settingsOf = (row: CountedRow, more: Partial<CountSettings> = {}): CountSettings => ({
  row,
  count: 12,
  seed: 7,
  statePath: join(folder, 'state', 'fake.json'),
  resume: false,
  say: () => undefined,
  ...more,
});

const keptState = (): CountState => JSON.parse(readFileSync(join(folder, 'state', 'fake.json'), 'utf8')) as CountState;

describe('a count on demand', () => {
  it('is run portion by portion to its number, each from where the last one ended', async () => {
    const ran: Portion[] = [];
    const state = await runCount(settingsOf(fake(ran, () => false)));
    expect(ran).toStrictEqual([
      { first: 0, size: 5, seed: 7 },
      { first: 5, size: 5, seed: 7 },
      { first: 10, size: 2, seed: 7 },
    ]);
    expect(state).toMatchObject({ done: 12, failed: [] });
    expect(keptState()).toStrictEqual(state);
  });

  it('names the portion that failed, and runs the others', async () => {
    const state = await runCount(settingsOf(fake([], ({ first }) => first === 5)));
    expect(state).toMatchObject({ done: 12, failed: [5] });
  });

  it('that was ended goes on with the portion in which it was', async () => {
    const ran: Portion[] = [];
    const dying: CountedRow = {
      ...fake(ran, () => false),
      command: (portion) => {
        if (portion.first === 5) throw new Error('killed');
        return { program: process.execPath, parameters: ['-e', ''], environment: {} };
      },
    };
    await expect(runCount(settingsOf(dying))).rejects.toThrow('killed');
    const state = await runCount(
      settingsOf(
        fake(ran, () => false),
        { resume: true },
      ),
    );
    expect(ran.map(({ first }) => first)).toStrictEqual([5, 10]);
    expect(state).toMatchObject({ done: 12, failed: [] });
  });

  it('resumes nothing but the same count', async () => {
    const row = fake([], () => false);
    await expect(runCount(settingsOf(row, { resume: true }))).rejects.toThrow('nothing to resume');
    await runCount(settingsOf(row));
    await expect(runCount(settingsOf(row, { resume: true, seed: 8 }))).rejects.toThrow('resume with the same');
    writeFileSync(join(folder, 'state', 'fake.json'), '{');
    await expect(runCount(settingsOf(row, { resume: true }))).rejects.toThrow();
  });
});

it('every row of the bar with a count on demand has a portion that is part of it', () => {
  for (const { name, count, portionSize } of ROWS) expect([name, count % portionSize]).toStrictEqual([name, 0]);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});
