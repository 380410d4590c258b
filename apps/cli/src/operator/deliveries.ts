import { packageRoot, readEnvironment } from '@app/configuration';
import { deliveryAsJson, deliveryRecords, type DeliveryJson } from '@app/read-models/queries';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { ordersAtPort, portInstead, type PlaceOptions } from '../order/port-orders';
import { renderDelivery } from './render-delivery';
import { withOrders } from '../order/named-orders';
import { namedOrders, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';

/** `orch deliveries <order>`: its callbacks, with the time and outcome of every try, and when the next is due; reads beside a running service. */
export const deliveries = (name: string, options: NameOptions & PlaceOptions, terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const port = portInstead(options);
    if (port !== undefined) {
      for (const { orderId } of await ordersAtPort(port, name, options, output)) {
        const answer = await port.read<{ readonly deliveries: readonly DeliveryJson[] }>(`/orders/${orderId}/deliveries`);
        for (const delivery of answer.deliveries) {
          if (output.isJson) output.line(asJson(delivery));
          else for (const line of renderDelivery(delivery, output.paint)) output.line(line);
        }
      }
      return;
    }
    await withOrders(options.merchant, async (verb) => {
      for (const stream of await namedOrders(verb, name, options, output)) {
        for (const record of await deliveryRecords(verb.readers.log, stream)) {
          if (output.isJson) output.line(asJson({ orderStream: stream, ...deliveryAsJson(record) }));
          else for (const line of renderDelivery(deliveryAsJson(record), output.paint)) output.line(line);
        }
      }
    });
  });

export interface ResendOptions {
  readonly reason: string;
  readonly actor?: string;
}

/** `orch deliveries resend <delivery>`: the running service sends it once more, under the same id and with the same bytes. @throws CommandFailed */
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
