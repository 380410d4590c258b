import { CommandFailed } from '../command-failed';
import { withOrders } from './named-orders';
import { namedOrders } from './one-order';
import { orderStory } from './order-story';
import { endOf, renderStory, storyAsData } from './render-story';
import { asJson, listing, type Output } from '../terminal/output';

/**
 * `orch show <order>`: the story of an order; reads beside a running service.
 * @throws CommandFailed for an unknown order, and, once the sound part is shown, for a broken stream
 */
export const show = async (name: string, { merchant }: { readonly merchant?: string }, terminal: Output): Promise<void> => {
  const damaged: string[] = [];
  await listing(terminal, (output) =>
    withOrders(merchant, async (verb) => {
      for (const [index, stream] of (await namedOrders(verb, name)).entries()) {
        const story = await orderStory(verb.readers, stream);
        if (output.isJson) output.line(asJson(storyAsData(story)));
        else for (const line of [...(index === 0 ? [] : ['']), ...renderStory(story, output.paint)]) output.line(line);
        damaged.push(...story.breaks.map(endOf));
      }
    }),
  );
  if (damaged.length > 0) throw new CommandFailed(damaged.join('; '));
};
