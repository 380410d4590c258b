import 'reflect-metadata';
import { inWorld } from '../tool/one-world';

/** A run takes seconds, and longer on a busy machine. */
jest.setTimeout(180_000);

const SEEDS = Number(process.env['SEEDS'] ?? '1');
const FIRST = 700_001;
const WORKER = ['api', 'worker'] as const;

/** Each instance projects some of the streams. One may stop while the others continue. Worlds of `npm run sim` are divided by chance too. */
describe.each([2, 3])('read models in %d partitions', (partitions) => {
  it.each(Array.from({ length: SEEDS }, (_, at) => FIRST + at))('keep every invariant under the faults of seed %i', async (seed) => {
    const instances = Array.from({ length: partitions }, () => WORKER);
    await inWorld({ seed, partitions, instances }, async (_world, violations) => {
      expect(violations).toStrictEqual([]);
    });
  });
});
