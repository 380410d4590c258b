import type { PlantedBug } from '../planted-bug';

/** The checkpoint of a read model moves before the events are applied. */
export const checkpointBeforeApply: PlantedBug = {
  name: 'checkpoint-before-apply',
  edits: [
    {
      file: 'libs/projections/engine/projecting/projector.ts',
      find: `    const parked = await this.#live.transactAsOwner(async (db, epoch) => {
`,
      put: `    await this.#live.transactAsOwner((db, epoch) => this.#moveTo(db, upTo, epoch));
    const parked = await this.#live.transactAsOwner(async (db) => {
`,
    },
    {
      file: 'libs/projections/engine/projecting/projector.ts',
      find: `      await this.#moveTo(db, upTo, epoch);
      return failed;`,
      put: '      return failed;',
    },
  ],
  seed: 5,
  violates: 'a read model is the fold of the log',
};
