import type { PlantedBug } from '../planted-bug';

/** A lesser amount is tried where the outcome of the first is unknown. */
export const nextAmountAfterUnknown: PlantedBug = {
  name: 'next-amount-after-unknown',
  edits: [
    {
      file: 'libs/order-processing/routing/domain/cascade.ts',
      find: `  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
      put: `  if (newest.status === 'unknown') return 'next-amount';
  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
    },
    {
      file: 'libs/order-processing/routing/domain/cascade.ts',
      find: 'const isDeclined = declinedAmountNumber === amountNumber;',
      put: `const isDeclined = newest.status === 'unknown' || declinedAmountNumber === amountNumber;`,
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
  seed: 35,
  violates: 'an order is charged once',
};
