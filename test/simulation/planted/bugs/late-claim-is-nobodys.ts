import type { PlantedBug } from '../planted-bug';

/** A process whose claim is not yet to be read leaves it, so that nobody sends what is stored a moment later, and the order ends. */
export const lateClaimIsNobodys: PlantedBug = {
  name: 'late-claim-is-nobodys',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/hold-claim.ts',
      find: `const isOnItsWay = claimed?.kind !== 'refused' && order.causation === from.causation;`,
      put: `const isOnItsWay = false;`,
    },
  ],
  seed: 7653,
  violates: 'what is claimed is sent',
};
