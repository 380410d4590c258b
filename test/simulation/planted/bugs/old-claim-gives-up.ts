import type { PlantedBug } from '../planted-bug';

/** An order whose claim took long to store ends, though the process knows that it sent nothing. */
export const oldClaimGivesUp: PlantedBug = {
  name: 'old-claim-gives-up',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/hold-claim.ts',
      find: `      if (isOver()) return { kind: 'given-up', order };
      claim = (now) => renew(order, sentAt, now);`,
      put: `      void [claim, renew];
      return { kind: 'given-up', order };`,
    },
  ],
  seed: 33,
  violates: 'what is claimed is sent',
};
