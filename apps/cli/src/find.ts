import { findOrders } from '../../orchestrator/src/composition/find-orders';
import { CommandFailed } from './command-failed';
import { findOrder } from './order/find-order';
import { withOrders } from './order/named-orders';
import { writeOrder } from './order/order-lines';
import { orderView } from './order/order-view';
import type { Output } from './terminal/output';
import { shortened } from './terminal/printable';

const NAME_SHOWN_MAX = 128;

/** `orch find <identifier>`: the orders that any identifier names; reads beside a running service. @throws CommandFailed where there is none */
export const find = (text: string, { merchant }: { readonly merchant?: string }, output: Output): Promise<void> =>
  withOrders(merchant, async ({ readers, merchants, environment }) => {
    const { log, readModel } = readers;
    let found = await findOrders({ log, readModel, merchants }, text.trim());
    // An orderid names no stream by itself: what the read model lacks, the log has.
    if (found.length === 0)
      found = (await findOrder(readers, text.trim(), merchants)).map((stream) => ({ stream, by: ['orderid'] as const }));
    if (found.length === 0) {
      throw new CommandFailed(`nothing of ${merchants.join(', ')} in ${environment.dataDir} is named "${shortened(text, NAME_SHOWN_MAX)}"`);
    }
    for (const { stream, by } of found) {
      const view = await orderView(log, stream);
      if (view !== undefined) writeOrder(view, output, { by });
    }
  });
