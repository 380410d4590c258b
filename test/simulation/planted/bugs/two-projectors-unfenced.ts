import type { PlantedBug } from '../planted-bug';

/** Two processes project at once, and none is fenced out. */
export const twoProjectorsUnfenced: PlantedBug = {
  name: 'two-projectors-unfenced',
  edits: [
    {
      file: 'libs/projections/engine/projecting/live-generations.ts',
      find: '      assertEpoch(fence, epoch);',
      put: '      void [fence, epoch];',
    },
    {
      file: 'libs/projections/engine/projecting/projector-role.ts',
      find: 'await this.#ownership?.acquire();',
      put: '',
    },
  ],
  seed: 1,
  violates: 'a read model is the fold of the log',
};
