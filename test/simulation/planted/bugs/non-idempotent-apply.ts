import type { PlantedBug } from '../planted-bug';

/** An event that a read model has seen is applied once more. */
export const nonIdempotentApply: PlantedBug = {
  name: 'non-idempotent-apply',
  edits: [
    {
      file: 'libs/projections/engine/projecting/projector.ts',
      find: 'const isAllNew = first === undefined || this.#live.isBeyond(live, first.position);',
      put: `const isAllNew = true;
    void first;`,
    },
  ],
  seed: 1,
  violates: 'no stream is parked',
};
