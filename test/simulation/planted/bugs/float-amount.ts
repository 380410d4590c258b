import type { PlantedBug } from '../planted-bug';

/** An amount is read as a float. */
export const floatAmount: PlantedBug = {
  name: 'float-amount',
  edits: [
    {
      file: 'libs/kernel/money/money.ts',
      find: `return BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));`,
      put: 'return BigInt(Math.floor(Number(text) * 100));',
    },
  ],
  seed: 1,
  violates: 'a gate is asked for the amount of the order',
};
