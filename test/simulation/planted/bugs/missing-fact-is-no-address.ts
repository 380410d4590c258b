import type { PlantedBug } from '../planted-bug';

/** A fact that cannot be found yet is taken for one without an address. */
export const missingFactIsNoAddress: PlantedBug = {
  name: 'missing-fact-is-no-address',
  edits: [
    {
      file: 'libs/order-queries/facts/callback-facts.ts',
      find: 'if (view === undefined || reported === undefined) throw new FactMissing(orderStream, factId);',
      put: `void FactMissing;
    if (view === undefined || reported === undefined) return undefined;`,
    },
  ],
  seed: 2,
  violates: 'a fact is not taken for another',
};
