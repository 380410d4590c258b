import type { PlantedBug } from '../planted-bug';

/** A callback that a merchant answers with a fault of the caller is not repeated. */
export const callbackDroppedOn4xx: PlantedBug = {
  name: 'callback-dropped-on-4xx',
  edits: [
    {
      file: 'libs/deliveries/try-result.ts',
      find: 'if (outcome.status !== DELIVERED_STATUS) return',
      put: 'if (outcome.status >= 500) return',
    },
  ],
  seed: 5,
  violates: 'the end of an order is told',
};
