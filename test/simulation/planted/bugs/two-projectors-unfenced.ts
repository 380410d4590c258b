import type { PlantedBug } from '../planted-bug';

/** Each process projects, and none looks whether another does. */
export const twoProjectorsUnfenced: PlantedBug = {
  name: 'two-projectors-unfenced',
  edits: [
    {
      file: 'libs/projections/engine/projecting/projector-role.ts',
      find: 'await this.#ownership?.acquire();',
      put: 'void this.#ownership;',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: '  if (epoch !== own) throw new FencedOut',
      put: '  if (epoch < own) throw new FencedOut',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: `    .where('epoch', '=', epoch)
    .where((where) =>`,
      put: '    .where((where) =>',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: `            where('position', 'is not distinct from', from ?? null),
`,
      put: '',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: '  { to, epoch }: { readonly to: Position; readonly epoch: number },',
      put: '  { to }: { readonly to: Position; readonly epoch: number },',
    },
    {
      file: 'libs/projections/engine/projection-registry.ts',
      find: 'moved.map(({ projection, generation, from }) =>',
      put: 'moved.map(({ projection, generation }) =>',
    },
  ],
  seed: 16,
  violates: 'a read model is the fold of the log',
};
