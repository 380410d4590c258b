import type { PlantedBug } from '../planted-bug';

/** The sweeper takes the card of an accepted order for one that nobody owns. */
export const sweeperShredsALiveKey: PlantedBug = {
  name: 'sweeper-shreds-a-live-key',
  edits: [
    {
      file: 'libs/order-processing/cvv/application/sweep-ownerless-cards.ts',
      find: 'if (isNamed(handle, data)) return true;',
      put: 'if (isNamed(handle, data)) return false;',
    },
  ],
  seed: 1,
  violates: 'the card of an approved order is kept',
};
