import { orderStory } from '../../../apps/cli/src/orders/story';
import { renderStory } from '../../../apps/cli/src/orders/render-story';
import { paintFor } from '../../../apps/cli/src/terminal';
import type { Violation } from '../world/oracle/report';
import { eventsOf } from '../world/stores';
import type { World, WorldSettings } from '../world/world';
import { inWorld } from './one-world';
import { faultsOf, shrink, type ShrunkWorld } from './shrink';

const ORDER = /^(payment|recurring|deviceVerification|transfer)-/;

const storyOf = async (world: World, { about }: Violation): Promise<readonly string[]> => {
  const [name = ''] = about.split(' ');
  const quoted = JSON.stringify(name);
  const found = (await eventsOf(world)).find(({ stream, data }) => ORDER.test(stream) && (stream === name || data.includes(quoted)));
  if (found === undefined) return [];
  return renderStory(await orderStory({ log: world.log, readModel: undefined }, found.stream), paintFor(false));
};

const settingsOf = ({ seed, swarm, ordersPerMerchant, devices, instanceCount }: ShrunkWorld): WorldSettings => ({
  seed,
  swarm,
  ordersPerMerchant,
  devices,
  instances: Array.from({ length: instanceCount }, () => ['api', 'worker'] as const),
});

/** The violated invariant, the smallest run that still violates it, and its history, as text lines. */
export const describeFailure = async (seed: number, invariant: string): Promise<readonly string[]> => {
  const isViolatedIn = (world: ShrunkWorld): Promise<boolean> =>
    inWorld(settingsOf(world), async (_world, violations) => violations.some((violation) => violation.invariant === invariant));
  const first = await inWorld({ seed }, async ({ storm, ordersPerMerchant, deviceCount, instances }) => ({
    swarm: storm,
    ordersPerMerchant,
    devices: deviceCount,
    instanceCount: instances.orchestratorCount,
  }));
  const shrunk = await shrink({ seed, ...first }, isViolatedIn);
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
