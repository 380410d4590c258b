import { wholeNumber } from '@app/testing';
import { rmSync } from 'node:fs';
import { canLosePower } from '../../support/crash/power/unsynced';
import { makeTemplate, type Template } from '../../support/crash/runs/crash-world';
import { cutPower, cutPowerOfALiar } from '../../support/crash/runs/power-cut-run';

const SEED = wholeNumber('CRASH_SEED', 20_240);
/** Safety, B6: 200 on demand. */
const CUTS = wholeNumber('POWER_CUTS', 20);
/** The first cuts usually find it. On a busy machine a process may lose power before it acknowledges a request. */
const CUTS_OF_A_LIAR = 30;
const TIMEOUT_MS = 120_000 + CUTS * 20_000;

describe(`a machine that loses power (CRASH_SEED=${SEED})`, () => {
  let template: Template | undefined;
  afterAll(() => {
    if (template !== undefined) rmSync(template.dataDir, { recursive: true, force: true });
  });

  (canLosePower ? it : it.skip)(
    `${CUTS} times under load: loses nothing acknowledged, damages no file, and converges (safety, B6; needs cc and Linux)`,
    async () => {
      template ??= await makeTemplate();
      const { faults, orders, lost } = await cutPower(template, CUTS, SEED);
      expect(faults).toStrictEqual([]);
      expect(orders).toBeGreaterThan(CUTS);
      expect(lost).toBeGreaterThan(CUTS);
    },
    TIMEOUT_MS,
  );

  (canLosePower ? it : it.skip)(
    'loses acknowledged writes if a sync of the log has no effect, so that the test above can fail',
    async () => {
      template ??= await makeTemplate();
      expect((await cutPowerOfALiar(template, CUTS_OF_A_LIAR, SEED)).join('\n')).toContain('was acknowledged and is gone');
    },
    TIMEOUT_MS,
  );
});
