import type { PlantedBug } from '../planted-bug';

/** A corrupt row is made anew from what was read of its stream before another process projected more of it, and the checkpoint hides what the row lacks. */
export const rowMadeAnewFromAnOldRead: PlantedBug = {
  name: 'row-made-anew-from-an-old-read',
  edits: [
    {
      file: 'libs/projections/engine/projecting/stream-repair.ts',
      find: '        const events = await this.#eventsOf(stream);\n        const parkedFrom',
      put: '        const parkedFrom',
    },
    {
      file: 'libs/projections/engine/projecting/stream-repair.ts',
      find: '      await this.#live.transactAlone(await this.#keyOf(stream), async (db) => {',
      put: '      const events = await this.#eventsOf(stream);\n      await this.#live.transactAlone(await this.#keyOf(stream), async (db) => {',
    },
  ],
  seed: 4903,
  violates: 'a read model is the fold of the log',
};
