import type { PlantedBug } from '../planted-bug';

/** A stream is folded without a look at its chain. */
export const brokenChainFolded: PlantedBug = {
  name: 'broken-chain-folded',
  edits: [
    {
      file: 'libs/event-store/chain/chain.ts',
      find: '  const [expectedRevision, expectedHash] = last',
      put: `  if (event.revision >= 0n) return;
  const [expectedRevision, expectedHash] = last`,
    },
  ],
  seed: 67,
  violates: 'an event that was edited is not told',
};
