import type { PlantedBug } from '../planted-bug';

/** Who holds the right to project does not claim again where one that lost it untold has claimed behind it. */
export const overtakenOwnerWaitsForEver: PlantedBug = {
  name: 'overtaken-owner-waits-for-ever',
  edits: [
    {
      file: 'libs/projections/engine/projecting/projector-role.ts',
      find: 'if (this.#isLost || (await this.#isOvertaken()))',
      put: 'if (this.#isLost)',
    },
  ],
  seed: 17,
  violates: 'no work is open at rest',
};
