import type { PlantedBug } from '../planted-bug';

/** The cascade goes on where the outcome at a gate is unknown. */
export const nextGateAfterUnknown: PlantedBug = {
  name: 'next-gate-after-unknown',
  edits: [
    {
      file: 'libs/order-processing/routing/domain/cascade.ts',
      find: `if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
      put: `if (newest.status === 'unknown') return 'next-gate';
  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
    },
    {
      file: 'libs/order-processing/attempts/domain/attempts.ts',
      find: `    case 'not-asked': {
      if (state.status !== 'none' && isRevoked(state))`,
      put: `    case 'unknown':
    case 'not-asked': {
      if (state.status !== 'none' && state.status !== 'unknown' && isRevoked(state))`,
    },
  ],
  seed: 4,
  violates: 'an order is charged once',
};
