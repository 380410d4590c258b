import { unknownAt, type UnknownAtPage } from '@app/investigation';
import type { MerchantLogin } from '@app/kernel';
import type { OrderSummary } from '@app/read-models/queries';
import { CommandFailed } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { portInstead, type PlaceOptions } from '../order/port-orders';
import { writeOrder, writeSummary } from '../order/order-lines';
import { listing, type Output } from '../terminal/output';
import { knownTimeOf } from '../order/moment-option';

const PAGE = 1_000;

interface UnknownAtPort {
  readonly orders: readonly OrderSummary[];
  readonly untold: readonly string[];
  readonly next?: string;
}

/**
 * `orch unknown list --known-at <time>`: the orders that were unknown then, as they were then; reads beside a running service.
 * @throws CommandFailed, and once all others are shown, where the past of an order cannot be told
 */
export const listUnknownAt = async (
  { merchant, knownAt, ...place }: PlaceOptions & { readonly merchant?: string; readonly knownAt: string },
  terminal: Output,
): Promise<void> => {
  const { at } = knownTimeOf(knownAt);
  const untold: string[] = [];
  await listing(terminal, async (output) => {
    const port = portInstead(place);
    if (port !== undefined) {
      let from: string | undefined;
      do {
        const page = await port.read<UnknownAtPort>('/audit/orders/unknown', { knownAt, merchant, after: from });
        for (const order of page.orders) writeSummary(order, output);
        untold.push(...page.untold);
        from = page.next;
      } while (from !== undefined);
      return;
    }
    await withOrders(merchant, async ({ readers: { log, readModel } }) => {
      if (readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
      let after: UnknownAtPage['next'];
      do {
        const page = await unknownAt({ log, orders: readModel.operatorOrders }, at, {
          limit: PAGE,
          after,
          merchant: merchant as MerchantLogin | undefined,
        });
        for (const view of page.orders) writeOrder(view, output);
        untold.push(...page.untold.map(({ stream, problem }) => `${stream}: ${problem}`));
        after = page.next;
      } while (after !== undefined);
    });
  });
  if (untold.length > 0)
    throw new CommandFailed(`of ${untold.length} orders the past cannot be told: ${untold.slice(0, UNTOLD_SHOWN_MAX).join('; ')}`);
};
const UNTOLD_SHOWN_MAX = 10;
