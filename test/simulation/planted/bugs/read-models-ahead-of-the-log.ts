import type { PlantedBug } from '../planted-bug';

/** Read models of events that the log lost go on to serve. */
export const readModelsAheadOfTheLog: PlantedBug = {
  name: 'read-models-ahead-of-the-log',
  edits: [
    {
      file: 'libs/projections/engine/corruption/ahead-of-log.ts',
      find: 'const ahead = reached.filter(({ position }) => isBeyond(log, position, head));',
      put: `const ahead = reached.filter(({ position }) => position === '' && isBeyond(log, position, head));`,
    },
  ],
  seed: 9,
  violates: 'a read model is not ahead of its log',
};
