import { unknownAt, type UnknownAtPage } from '@app/investigation';
import type { MerchantLogin } from '@app/kernel';
import type { OrderSummary } from '@app/read-models/queries';
import { CommandFailed, listing, type Output, EXIT, asJson } from '../terminal';
import { withOrders } from '../stores';
import { portInstead, type PlaceOptions, writeOrder, writeSummary, orderToChange, type NameOptions } from '../orders/order-name';
import { knownTimeOf } from '../orders/moments';
import { askOperatorPort, claimOf, operatorToken } from '../operator-port';

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

const LISTED_MAX = 1_000;

/**
 * `orch unknown list`: orders whose outcome, or that of a follow-up, is unknown, the oldest first, of one merchant or of all; reads beside a running
 * service.
 */
export const listUnknown = ({ merchant, ...place }: PlaceOptions & { readonly merchant?: string }, terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const port = portInstead(place);
    if (port !== undefined) {
      const { orders } = await port.read<{ readonly orders: readonly OrderSummary[] }>('/orders/unknown');
      for (const order of orders) if (merchant === undefined || order.merchant === merchant) writeSummary(order, output);
      return;
    }
    await withOrders(merchant, async ({ readers }) => {
      if (readers.readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
      const rows = await readers.readModel.operatorOrders.unknown(LISTED_MAX, merchant as MerchantLogin | undefined);
      for (const { view } of rows) writeOrder(view, output);
    });
  });

export interface ResolveOptions extends NameOptions {
  readonly as: string;
  readonly reason: string;
  readonly actor?: string;
  readonly followUp?: string;
}

const NUMBER = /^[1-9]\d{0,6}$/;

const followUpOf = (text: string | undefined): { readonly followUp?: number } => {
  if (text === undefined) return {};
  if (NUMBER.test(text)) return { followUp: Number(text) };
  throw new CommandFailed('--follow-up is a number, as orch show counts them', EXIT.usage);
};

/** `orch unknown resolve <order>`: the running service resolves an outcome, unknown at its gate, as a person decides. @throws CommandFailed */
export const resolveUnknown = async (name: string, options: ResolveOptions, output: Output): Promise<void> => {
  const { as, reason, actor, followUp } = options;
  const resolved = followUpOf(followUp);
  const { environment, order: named } = await orderToChange(name, options);
  const action = { as, reason, ...claimOf(actor), merchant: named.merchant, ...resolved };
  const path = `/orders/${named.orderId}/resolution`;
  const { order } = (await askOperatorPort(environment, operatorToken(process.env, environment), path, action)) as {
    readonly order: Pick<OrderSummary, 'orderId' | 'status' | 'followUps'>;
  };
  if (output.isJson) return output.line(asJson(order));
  const one = order.followUps.find(({ number }) => number === resolved.followUp);
  output.line(`order ${order.orderId}${one === undefined ? '' : `, follow-up ${one.number}`} is ${(one ?? order).status}`);
};
