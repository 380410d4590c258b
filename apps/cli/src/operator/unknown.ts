import type { MerchantLogin } from '@app/kernel';
import type { OrderSummary } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { orderToChange, portInstead, type PlaceOptions } from '../order/port-orders';
import { withOrders } from '../order/named-orders';
import type { NameOptions } from '../order/one-order';
import { writeOrder, writeSummary } from '../order/order-lines';
import { asJson, listing, type Output } from '../terminal/output';

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
