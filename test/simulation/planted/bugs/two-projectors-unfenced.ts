import type { PlantedBug } from '../planted-bug';

/** A process that lost the right to project, and has not heard so, goes on to write, from the state that it has in memory. */
export const twoProjectorsUnfenced: PlantedBug = {
  name: 'two-projectors-unfenced',
  edits: [
    {
      file: 'libs/projections/engine/partitions/fence.ts',
      find: 'if (epoch !== own) throw',
      put: 'if (epoch < own) throw',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: "      .where('epoch', '=', epoch)\n",
      put: "      .where('epoch', '>=', epoch)\n",
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: 'const values = moved.flatMap(({ projection, generation, from }): MovedValues => [projection, generation, from ?? null]);',
      put: "const values = moved.flatMap(({ projection, generation, from }): MovedValues => [projection, generation, (from === undefined ? 'x' : null) as never]);",
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: "where('position', 'is not distinct from', from),",
      put: "where('position', 'is not', from),",
    },
  ],
  seed: 267,
  violates: 'no stream is parked',
};
