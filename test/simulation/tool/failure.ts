import { swarmOf } from '../world/swarm';
import { KeyedChance } from '../world/keyed-chance';
import { STANDARD, STANDARD_SCENARIO, type WorldSettings } from '../world/world';
import { inWorld } from './one-world';
import { faultsOf, shrink, type ShrunkWorld } from './shrink';
import { storyOf } from './story';

const settingsOf = ({ seed, swarm, ordersPerMerchant, devices, instanceCount }: ShrunkWorld): WorldSettings => ({
  seed,
  swarm,
  ordersPerMerchant,
  devices,
  instances: Array.from({ length: instanceCount }, () => ['api', 'worker'] as const),
});

/** The seed's violated invariant, the smallest world that still violates it, and what happened there, as lines for people. */
export const describeFailure = async (seed: number, invariant: string, isStandard = false): Promise<readonly string[]> => {
  const { faultShare, ...sized } = { faultShare: 1, ...STANDARD, ...(isStandard && STANDARD_SCENARIO) };
  const isViolatedIn = (world: ShrunkWorld): Promise<boolean> =>
    inWorld(settingsOf(world), async (_world, violations) => violations.some((violation) => violation.invariant === invariant));
  const swarm = swarmOf(new KeyedChance(seed), faultShare);
  const instanceCount = await inWorld({ ...sized, seed, swarm }, async ({ instances }) => instances.orchestratorCount);
  const { ordersPerMerchant, devices } = sized;
  const shrunk = await shrink({ seed, swarm, ordersPerMerchant, devices, instanceCount }, isViolatedIn);
  const faults = faultsOf(shrunk.swarm).map(([part, fault, rate]) => `  ${part}.${fault} ${rate.toFixed(3)}`);
  return inWorld(settingsOf(shrunk), async (world, violations) => {
    const violation = violations.find((one) => one.invariant === invariant);
    return [
      `seed ${seed} violates: ${invariant}`,
      `it still does with ${shrunk.ordersPerMerchant} orders of each merchant, ${shrunk.devices} devices, ${shrunk.instanceCount} instances and these faults:`,
      ...(faults.length === 0 ? ['  none'] : faults),
      ...(violation === undefined ? [] : [`${violation.about}: ${violation.seen}`, '', ...(await storyOf(world, violation))]),
    ];
  });
};
