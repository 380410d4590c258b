import type { MerchantLogin } from '@app/kernel';
import type { OrderSummary } from '@app/order-queries';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from './operator-port';
import { operatorToken } from './operator-token';
import { withOrders } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { writeOrder } from '../order/order-lines';
import { orderView } from '../order/order-view';
import { asJson, listing, type Output } from '../terminal/output';

const LISTED_MAX = 1_000;

/**
 * `orch unknown list`: orders whose outcome, or that of a follow-up, is unknown, the oldest first, of one merchant or of all; reads beside a running
 * service.
 */
export const listUnknown = ({ merchant }: { readonly merchant?: string }, terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withOrders(merchant, async ({ readers }) => {
      if (readers.readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
      const rows = await readers.readModel.operatorOrders.unknown(LISTED_MAX, merchant as MerchantLogin | undefined);
      for (const { view } of rows) writeOrder(view, output);
    }),
  );

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
  await withOrders(options.merchant, async (verb) => {
    const view = await orderView(verb.readers.log, await oneOrder(verb, name, options));
    if (view === undefined) throw new CommandFailed('the order cannot be read');
    const action = { as, reason, ...claimOf(actor), merchant: view.merchant, ...resolved };
    const { order } = (await askOperatorPort(
      verb.environment,
      operatorToken(process.env, verb.environment),
      `/orders/${view.orderId}/resolution`,
      action,
    )) as {
      readonly order: Pick<OrderSummary, 'orderId' | 'status' | 'followUps'>;
    };
    if (output.isJson) return output.line(asJson(order));
    const one = order.followUps.find(({ number }) => number === resolved.followUp);
    output.line(`order ${order.orderId}${one === undefined ? '' : `, follow-up ${one.number}`} is ${(one ?? order).status}`);
  });
};
