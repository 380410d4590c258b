import { wholeNumber } from '@app/testing';
import { rmSync } from 'node:fs';
import { makeTemplate, type Template } from '../../support/crash/runs/crash-world';
import { killInStart, killUnderLoad } from '../../support/crash/runs/random-kill-run';

const SEED = wholeNumber('CRASH_SEED', 20_240);
/** Safety, B5: 500 on demand. */
const KILLS = wholeNumber('CRASH_KILLS', 50);
/** Safety, section 2.2. */
const STARTS = 10;
const FOLLOW_UP_EVERY_KILLS = 5;
const TIMEOUT_MS = 120_000;
const KILL_TIMEOUT_MS = 15_000;

let template: Template;
beforeAll(async () => {
  template = await makeTemplate();
}, TIMEOUT_MS);
afterAll(() => rmSync(template.dataDir, { recursive: true, force: true }));

describe(`a process killed at random times (CRASH_SEED=${SEED})`, () => {
  it(
    `${KILLS} times under load: loses no acknowledged order, tears no batch, damages no file, and converges (safety, B5)`,
    async () => {
      const { faults, orders, followUps } = await killUnderLoad(template, KILLS, SEED);
      expect(faults).toStrictEqual([]);
      expect(orders).toBeGreaterThan(KILLS);
      expect(followUps).toBeGreaterThan(KILLS / FOLLOW_UP_EVERY_KILLS);
    },
    TIMEOUT_MS + KILLS * KILL_TIMEOUT_MS,
  );

  it(
    `${STARTS} times in its start and recovery: converges (safety, section 2.2)`,
    async () => {
      expect(await killInStart(template, STARTS, SEED)).toStrictEqual([]);
    },
    TIMEOUT_MS + STARTS * KILL_TIMEOUT_MS,
  );
});
