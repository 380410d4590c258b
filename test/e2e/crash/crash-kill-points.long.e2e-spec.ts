import { wholeNumber } from '@app/testing';
import { rmSync } from 'node:fs';
import { makeTemplate, type Template } from '../../support/crash/runs/crash-world';
import { KILL_POINT_CASES } from '../../support/crash/runs/kill-points';
import { runKillPoint } from '../../support/crash/runs/kill-point-run';
import { KILL_POINTS } from '@app/kernel';

const SEED = wholeNumber('CRASH_SEED', 20_240);
/** Runs of each point; safety, B8: 40 on demand. */
const TIMES = wholeNumber('CRASH_TIMES_A_POINT', 2);
const TIMEOUT_MS = 180_000 + TIMES * 30_000;

/** Concurrent tests run before any hook, so the first one makes the template for all. */
let making: Promise<Template> | undefined;
const template = (): Promise<Template> => (making ??= makeTemplate());

afterAll(async () => {
  if (making !== undefined) rmSync((await making).dataDir, { recursive: true, force: true });
});

describe(`a process killed at each point (safety, B8 and section 2.2; ${TIMES} times a point, CRASH_SEED=${SEED})`, () => {
  it('has a case for every kill point', () => {
    expect(KILL_POINT_CASES.map(({ point }) => point)).toStrictEqual([...KILL_POINTS]);
  });

  it.concurrent.each(KILL_POINT_CASES.map((killPoint, index) => [killPoint.point, killPoint, SEED + index] as const))(
    'killed at %s charges no order twice, loses no acknowledged order, and converges',
    async (_point, killPoint, seed) => {
      expect(await runKillPoint(await template(), killPoint, TIMES, seed)).toStrictEqual([]);
    },
    TIMEOUT_MS,
  );
});
