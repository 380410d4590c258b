import type { PlantedBug } from '../planted-bug';

/**
 * A rebuild drops the generation that it replaced by a transaction of its own: where it dies before, whoever reads that generation never learns of the new
 * one. As it was when readers did not look by themselves which generation serves, which they do every thousand reads since one may be kept.
 */
export const oldGenerationLeft: PlantedBug = {
  name: 'old-generation-left',
  edits: [
    {
      file: 'libs/projections/engine/rebuild/new-generations.ts',
      find: '    await dropOlder(transaction, buildings);\n',
      put: '',
    },
    {
      file: 'libs/projections/engine/rebuild/new-generations.ts',
      find: 'const dropOlder = async',
      put: 'export const dropOlder = async',
    },
    {
      file: 'libs/projections/engine/rebuild/rebuild.ts',
      find: 'import { beginGenerations, RebuildOvertaken, takeOver }',
      put: 'import { beginGenerations, dropOlder, RebuildOvertaken, takeOver }',
    },
    {
      file: 'libs/projections/engine/rebuild/rebuild.ts',
      find: '      if (!isServing) continue;\n',
      put: '      if (!isServing) continue;\n      await context.database.registry.transaction().execute((transaction) => dropOlder(transaction, buildings));\n',
    },
    {
      file: 'libs/projections/engine/reader.ts',
      find: '    this.#lookNowAndThen();\n',
      put: '',
    },
  ],
  seed: 1051,
  violates: 'each process reads the read models that serve',
};
