import { wholeNumber } from '@app/testing';
import { rmSync } from 'node:fs';
import { makeTemplate, type Template } from '../../support/crash/runs/crash-world';
import { canLimitFiles, failDisk } from '../../support/crash/runs/disk-fault-run';

const SEED = wholeNumber('CRASH_SEED', 20_240);
/** Safety, F25: 50 on demand. */
const TIMES = wholeNumber('CRASH_DISK_FAULTS', 3);
const TIMEOUT_MS = 120_000 + TIMES * 20_000;

describe(`a disk that fails (CRASH_SEED=${SEED})`, () => {
  let template: Template | undefined;
  afterAll(() => {
    if (template !== undefined) rmSync(template.dataDir, { recursive: true, force: true });
  });

  (canLimitFiles ? it : it.skip)(
    `ends the process without another answer and loses nothing acknowledged, and the service converges, ${TIMES} times under load (safety, F25; needs prlimit)`,
    async () => {
      template = await makeTemplate();
      expect(await failDisk(template, TIMES, SEED)).toStrictEqual([]);
    },
    TIMEOUT_MS,
  );
});
