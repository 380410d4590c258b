import 'reflect-metadata';
import { inWorld } from '../tool/one-world';

/** A world takes seconds, and on a machine that does other things too many of them. */
jest.setTimeout(180_000);

const SEEDS = Number(process.env['SEEDS'] ?? '3');
/** Not of the worlds that are run anyway. */
const FIRST = 700_001;
const WORKER = ['api', 'worker'] as const;

/** Each instance projects a part of the streams, of which one may stand still while the others go on. */
describe.each([2, 3])('read models in %d partitions', (partitions) => {
  it.each(Array.from({ length: SEEDS }, (_, at) => FIRST + at))('keep every invariant through the storm of seed %i', async (seed) => {
    const instances = Array.from({ length: partitions }, () => WORKER);
    await inWorld({ seed, partitions, instances }, async (_world, violations) => {
      expect(violations).toStrictEqual([]);
    });
  });
});
