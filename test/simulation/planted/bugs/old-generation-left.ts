import type { PlantedBug } from '../planted-bug';

/** A rebuild drops the generation that it replaced by a transaction of its own: where it dies before, whoever reads that generation never learns of the new one. */
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
  ],
  seed: undefined,
  violates: 'no work is open at rest',
};
