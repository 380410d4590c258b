import type { Command } from 'commander';
import { deliveryAsJson, deliveryRecords, type DeliveryJson } from '@app/read-models/queries';
import { unreachable } from '@app/kernel';
import { claimOf, OperatorPort } from '../operator-port';
import { ordersAtPort, portInstead, type PlaceOptions, namedOrders, type NameOptions, orderCommand } from '../orders/order-name';
import { withOrders } from '../stores';
import {
  listing,
  type Output,
  type Paint,
  type Tone,
  printable,
  writeResult,
  type CommandContext,
  OFFLINE,
  REASON,
  ACTOR,
} from '../terminal';
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

const renderDelivery = (record: DeliveryJson, paint: Paint): readonly string[] => {
  const { deliveryId, tellsOf, toldAt, status, nextTryAt, steps } = record;
  const next = nextTryAt === undefined ? '' : `, next try ${shownTime(nextTryAt)}`;
  return [
    `${paint('strong', deliveryId)}  about ${tellsOf} at ${shownTime(toldAt)}: ${paint(TONES[status], status)}${next}`,
    ...steps.map((step) => `  ${paint('faint', shownTime(step.at))}  ${stepText(step)}`),
  ];
};

const deliveries = (name: string, options: NameOptions & PlaceOptions, terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const port = portInstead(options);
    if (port !== undefined) {
      for (const { orderId } of await ordersAtPort(port, name, options, output)) {
        const answer = await port.read<{ readonly deliveries: readonly DeliveryJson[] }>(`/orders/${orderId}/deliveries`);
        for (const delivery of answer.deliveries) writeResult(output, delivery, () => renderDelivery(delivery, output.paint));
      }
      return;
    }
    await withOrders(options.merchant, async (verb) => {
      for (const stream of await namedOrders(verb, name, options, output)) {
        for (const record of await deliveryRecords(verb.readers.log, stream)) {
          const delivery = deliveryAsJson(record);
          writeResult(output, { orderStream: stream, ...delivery }, () => renderDelivery(delivery, output.paint));
        }
      }
    });
  });

interface ResendOptions {
  readonly reason: string;
  readonly actor?: string;
}

const resendDelivery = async (deliveryId: string, { reason, actor }: ResendOptions, output: Output): Promise<void> => {
  const answer = await OperatorPort.of().ask<{ readonly isDueAlready: boolean }>(`/deliveries/${encodeURIComponent(deliveryId)}/resend`, {
    reason,
    ...claimOf(actor),
  });
  writeResult(output, answer, () => (answer.isDueAlready ? 'the next attempt is already due' : 'the callback is sent again now'));
};

export const addDeliveryCommands = (program: Command, { output }: CommandContext): void => {
  const callbacks = orderCommand(program, 'deliveries')
    .description('the callbacks of an order: every attempt, its result, and the time of the next one')
    .option(...OFFLINE)
    .action((name: string, options: NameOptions & PlaceOptions) => deliveries(name, options, output()));

  callbacks
    .command('resend')
    .description('send a callback once more, even if it was delivered or given up; needs a running service')
    .argument('<delivery>', 'its id, which orch deliveries shows')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((deliveryId: string, options: ResendOptions) => resendDelivery(deliveryId, options, output()));
};
