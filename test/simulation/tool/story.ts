import { orderStory } from '../../../apps/cli/src/orders/story';
import { renderStory } from '../../../apps/cli/src/orders/render-story';
import { paintFor } from '../../../apps/cli/src/terminal';
import type { Violation } from '../world/oracle/report';
import { eventsOf } from '../world/stores';
import type { World } from '../world/world';

const ORDER = /^(payment|recurring|deviceVerification|transfer)-/;

/** The order's events in words, as `orch show` prints them; nothing where the violation is not about one order. */
export const storyOf = async (world: World, { about }: Violation): Promise<readonly string[]> => {
  const [name = ''] = about.split(' ');
  const quoted = JSON.stringify(name);
  const found = (await eventsOf(world)).find(({ stream, data }) => ORDER.test(stream) && (stream === name || data.includes(quoted)));
  if (found === undefined) return [];
  return renderStory(await orderStory({ log: world.log, readModel: undefined }, found.stream), paintFor(false));
};
