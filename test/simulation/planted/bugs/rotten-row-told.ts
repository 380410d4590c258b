import type { PlantedBug } from '../planted-bug';

/** A row of a read model is told without a look at its checksum. */
export const rottenRowTold: PlantedBug = {
  name: 'rotten-row-told',
  edits: [
    {
      file: 'libs/projections/engine/corruption/verified-rows.ts',
      find: 'if (isIntact(row, this.#columns)) return',
      put: 'if (this.#columns.length > 0 || isIntact(row, this.#columns)) return',
    },
  ],
  seed: 21,
  violates: 'a row that was edited is not told',
};
