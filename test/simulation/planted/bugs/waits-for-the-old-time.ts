import type { PlantedBug } from '../planted-bug';

/** Work of an event that is projected only after the clock was set back waits for the time that its event named. */
export const waitsForTheOldTime: PlantedBug = {
  name: 'waits-for-the-old-time',
  edits: [
    {
      file: 'libs/projections/read-models/open-work/open-work.table.ts',
      find: 'return recordedAt <= now ? item',
      put: 'return recordedAt <= now + 1e12 ? item',
    },
  ],
  seed: 1346,
  violates: 'an accepted follow-up becomes final',
};
