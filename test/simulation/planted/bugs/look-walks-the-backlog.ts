import type { PlantedBug } from '../planted-bug';

/** Each look for due work reads all that waits in a lane. */
export const lookWalksTheBacklog: PlantedBug = {
  name: 'look-walks-the-backlog',
  edits: [
    {
      file: 'libs/projections/read-models/open-work/open-work.statements.ts',
      find: 'order by first.due_at, first.key limit ${most}`;',
      put: 'order by first.due_at, first.key limit ${most} + 100000`;',
    },
  ],
  seed: 146,
  violates: 'a look costs no more where more waits',
};
