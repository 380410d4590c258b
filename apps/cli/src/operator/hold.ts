import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { orderToChange } from '../order/port-orders';
import type { NameOptions } from '../order/one-order';
import { asJson, type Output } from '../terminal/output';

export interface HoldOptions extends NameOptions {
  readonly reason?: string;
  readonly actor?: string;
}

/** `orch hold` and `orch hold release`: the running service keeps an order from being erased, or lets it go. @throws CommandFailed */
export const holdOrder = async (name: string, options: HoldOptions, isRelease: boolean, output: Output): Promise<void> => {
  const { reason, actor } = options;
  if (reason === undefined) throw new CommandFailed("required option '--reason <text>' not specified", EXIT.usage);
  const { environment, order } = await orderToChange(name, options);
  const { orderId, merchant } = order;
  const path = `/orders/${orderId}/hold${isRelease ? '/release' : ''}`;
  const action = { reason, ...claimOf(actor), merchant };
  const { isHeld } = (await askOperatorPort(environment, operatorToken(process.env, environment), path, action)) as {
    readonly isHeld: boolean;
  };
  output.line(
    output.isJson ? asJson({ orderId, isHeld }) : `order ${orderId} is ${isHeld ? 'under legal hold' : 'not under legal hold any more'}`,
  );
};
