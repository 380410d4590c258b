import { HEALTHY, type Swarm } from '../world/swarm';
import { faultsOf, shrink } from './shrink';

const STORMY: Swarm = { ...HEALTHY, store: { ...HEALTHY.store, refused: 0.1, slow: 0.2 }, process: { ...HEALTHY.process, dies: 0.01 } };
const FIRST = { seed: 7, swarm: STORMY, ordersPerMerchant: 15, devices: 8, instanceCount: 2 };

describe('shrinking a failing simulation run', () => {
  it('keeps only the fault, orders and instances that the violation needs', async () => {
    const shrunk = await shrink(FIRST, async ({ swarm, ordersPerMerchant }) => swarm.store.slow > 0 && ordersPerMerchant >= 3);
    expect(faultsOf(shrunk.swarm)).toStrictEqual([['store', 'slow', 0.2]]);
    expect(shrunk).toMatchObject({ seed: 7, ordersPerMerchant: 3, devices: 0, instanceCount: 1 });
  });

  it('changes nothing if no smaller run violates the invariant', async () => {
    expect(await shrink(FIRST, async () => false)).toStrictEqual(FIRST);
  });
});
