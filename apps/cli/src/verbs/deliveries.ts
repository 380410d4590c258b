import { packageRoot, readEnvironment } from '@app/configuration';
import { deliveryAsJson, deliveryRecords, type DeliveryJson } from '@app/read-models/queries';
import { unreachable } from '@app/kernel';
import { askOperatorPort, claimOf, operatorToken } from '../operator-port';
import { ordersAtPort, portInstead, type PlaceOptions, namedOrders, type NameOptions } from '../orders/order-name';
import { withOrders } from '../stores';
import { asJson, listing, type Output, type Paint, type Tone, printable } from '../terminal';
import { failureText } from '../orders/event-description';
import { shownTime } from '../orders/moments';

const TONES: Readonly<Record<DeliveryJson['status'], Tone>> = {
  untried: 'waiting',
  waiting: 'waiting',
  delivered: 'good',
  exhausted: 'bad',
};

const stepText = (step: DeliveryJson['steps'][number]): string => {
  switch (step.kind) {
    case 'delivered':
      return `try ${step.tryNumber}: delivered, HTTP ${step.httpStatus}`;
    case 'failed':
      return `try ${step.tryNumber}: ${failureText(step.failure)}, again at ${shownTime(step.nextTryAt)}`;
    case 'exhausted':
      return `try ${step.tryNumber}: ${failureText(step.failure)}, given up`;
    case 'resend-requested':
      return `${printable(step.actor)} wants it sent again`;
    default:
      return unreachable(step);
  }
};

/** A callback and each of its tries, one line each. */
const renderDelivery = (record: DeliveryJson, paint: Paint): readonly string[] => {
  const { deliveryId, tellsOf, toldAt, status, nextTryAt, steps } = record;
  const next = nextTryAt === undefined ? '' : `, next try ${shownTime(nextTryAt)}`;
  return [
    `${paint('strong', deliveryId)}  tells of ${tellsOf} at ${shownTime(toldAt)}: ${paint(TONES[status], status)}${next}`,
    ...steps.map((step) => `  ${paint('faint', shownTime(step.at))}  ${stepText(step)}`),
  ];
};

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
