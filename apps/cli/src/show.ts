import { withOrders } from './order/named-orders';
import { namedOrders } from './order/one-order';
import { orderStory } from './order/order-story';
import { renderStory, storyAsData } from './order/render-story';
import { asJson, type Output } from './terminal/output';

/** `orch show <order>`: how an order came to be what it is; reads beside a running service. @throws CommandFailed for an unknown order */
export const show = (name: string, { merchant }: { readonly merchant?: string }, output: Output): Promise<void> =>
  withOrders(merchant, async (verb) => {
    for (const [index, stream] of (await namedOrders(verb, name)).entries()) {
      const story = await orderStory(verb.readers, stream);
      if (output.isJson) output.line(asJson(storyAsData(story)));
      else for (const line of [...(index === 0 ? [] : ['']), ...renderStory(story, output.paint)]) output.line(line);
    }
  });
