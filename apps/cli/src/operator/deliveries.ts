import { packageRoot, readEnvironment } from '@app/configuration';
import { deliveryAsJson } from '@app/order-queries';
import { deliveryRecords } from '@app/order-queries';
import { askOperatorPort, claimOf } from './operator-port';
import { operatorToken } from './operator-token';
import { renderDelivery } from './render-delivery';
import { withOrders } from '../order/named-orders';
import { namedOrders } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';

/** `orch deliveries <order>`: its callbacks, every try with its time and what came of it, and when the next is due; reads beside a running service. */
export const deliveries = (name: string, { merchant }: { readonly merchant?: string }, told: Output): Promise<void> =>
  listing(told, (output) =>
    withOrders(merchant, async (verb) => {
      for (const stream of await namedOrders(verb, name)) {
        for (const record of await deliveryRecords(verb.readers.log, stream)) {
          if (output.isJson) output.line(asJson({ orderStream: stream, ...deliveryAsJson(record) }));
          else for (const line of renderDelivery(record, output.paint)) output.line(line);
        }
      }
    }),
  );

export interface ResendOptions {
  readonly reason: string;
  readonly actor?: string;
}

/** `orch deliveries resend <delivery>`: once more, under the same id and with the same bytes; done by the running service. @throws CommandFailed */
export const resendDelivery = async (deliveryId: string, { reason, actor }: ResendOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const action = { reason, ...claimOf(actor) };
  const token = operatorToken(process.env, environment);
  const answer = (await askOperatorPort(environment, token, `/deliveries/${encodeURIComponent(deliveryId)}/resend`, action)) as {
    readonly isDueAlready: boolean;
  };
  if (output.isJson) output.line(asJson(answer));
  else output.line(answer.isDueAlready ? 'its next try is due already' : 'it is sent again now');
};
