import type { PlantedBug } from '../planted-bug';

/** A process that knows that nothing left gives its claim up, because another one asked the gate and wrote down that nothing is known. */
export const claimLostToAnInquiry: PlantedBug = {
  name: 'claim-lost-to-an-inquiry',
  edits: [
    {
      file: 'libs/order-processing/attempts/domain/attempts.state.ts',
      find: `state.status === 'started' || (state.status === 'unknown' && !state.isPayerBack);`,
      put: `state.status === 'started';`,
    },
  ],
  seed: 8140,
  violates: 'what is claimed is sent',
};
