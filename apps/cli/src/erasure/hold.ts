import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../operator/operator-port';
import { operatorToken } from '../operator/operator-token';
import { withOrders } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { orderView } from '../order/order-view';
import { asJson, type Output } from '../terminal/output';

export interface HoldOptions extends NameOptions {
  readonly reason?: string;
  readonly actor?: string;
}

/** `orch hold` and `orch hold release`: the running service keeps an order from being erased, or lets it go. @throws CommandFailed */
export const holdOrder = async (name: string, options: HoldOptions, isRelease: boolean, output: Output): Promise<void> => {
  const { reason, actor } = options;
  if (reason === undefined) throw new CommandFailed("required option '--reason <text>' not specified", EXIT.usage);
  return withOrders(options.merchant, async (verb) => {
    const view = await orderView(verb.readers.log, await oneOrder(verb, name, options));
    if (view === undefined) throw new CommandFailed('the order cannot be read');
    const { orderId } = view;
    const { isHeld } = (await askOperatorPort(
      verb.environment,
      operatorToken(process.env, verb.environment),
      `/orders/${orderId}/hold${isRelease ? '/release' : ''}`,
      { reason, ...claimOf(actor), merchant: view.merchant },
    )) as { readonly isHeld: boolean };
    output.line(
      output.isJson ? asJson({ orderId, isHeld }) : `order ${orderId} is ${isHeld ? 'under legal hold' : 'not under legal hold any more'}`,
    );
  });
};
