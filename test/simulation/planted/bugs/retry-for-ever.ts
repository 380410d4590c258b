import type { PlantedBug } from '../planted-bug';

/** The last gap of the schedule of callbacks is repeated without an end. */
export const retryForEver: PlantedBug = {
  name: 'retry-for-ever',
  edits: [
    {
      file: 'libs/deliveries/domain/repeat-schedule.ts',
      find: 'const gapMs = REPEAT_GAPS_MS[tryNumber - 1];',
      put: 'const gapMs = REPEAT_GAPS_MS[tryNumber - 1] ?? REPEAT_GAPS_MS.at(-1);',
    },
  ],
  seed: 3,
  violates: 'a callback is given up after its schedule',
};
