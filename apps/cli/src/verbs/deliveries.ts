import type { Command } from 'commander';
import { failureText } from '@app/investigation/words';
import { deliveryAsJson, deliveryRecords, type DeliveryJson } from '@app/read-models/queries';
import type { ListedDeliveries, ListedDelivery } from '@app/investigation';
import { present, unreachable } from '@app/kernel';
import { claimOf, OperatorPort } from '../operator-port';
import { ordersAtPort, portInstead, type PlaceOptions, namedOrders, type NameOptions, orderCommand } from '../orders/order-name';
import { listPages, withPages, type PageOptions } from '../listed-pages';
import { withOrders } from '../stores';
import {
  CommandFailed,
  counted,
  EXIT,
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
      return `try ${step.tryNumber}: ${printable(failureText(step.failure))}, again at ${shownTime(step.nextTryAt)}`;
    case 'exhausted':
      return `try ${step.tryNumber}: ${printable(failureText(step.failure))}, given up`;
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
  readonly yes?: true;
}

const resendDelivery = async (deliveryId: string, { reason, actor }: ResendOptions, output: Output): Promise<void> => {
  const answer = await OperatorPort.of().ask<{ readonly isDueAlready: boolean }>(`/deliveries/${encodeURIComponent(deliveryId)}/resend`, {
    reason,
    ...claimOf(actor),
  });
  writeResult(output, answer, () => (answer.isDueAlready ? 'the next attempt is already due' : 'the callback is sent again now'));
};

/** Counts first. Repeats the call with the service's cursor until all are requested. */
const resendDeliveries = async (options: ResendOptions & ListedOptions, output: Output): Promise<void> => {
  const { reason, actor, yes, failed, merchant, target, since, until } = options;
  const state = failed === true ? 'failed' : options.state;
  if (state === undefined) throw new CommandFailed('give a delivery, or --failed or --state for those of all orders', EXIT.usage);
  const port = OperatorPort.of();
  const asked = { reason, ...claimOf(actor), ...present({ state, merchant, target, since, until }) };
  const counted = await port.ask<{ readonly count: number; readonly token: string }>('/deliveries/resending', asked);
  if (yes !== true) {
    writeResult(output, counted, () => `${counted.count} callbacks would be sent again. To send them, add --yes`);
    return;
  }
  const total = { requested: 0, skipped: 0 };
  let cursor: string | undefined;
  do {
    const part = await port.ask<{ readonly requested: number; readonly skipped: number; readonly next?: string }>('/deliveries/resending', {
      ...asked,
      token: counted.token,
      ...present({ cursor }),
    });
    total.requested += part.requested;
    total.skipped += part.skipped;
    cursor = part.next;
  } while (cursor !== undefined);
  writeResult(
    output,
    total,
    () => `${total.requested} callbacks are sent again, ${total.skipped} skipped: due already, or changed since the count`,
  );
};

interface ListedOptions extends PageOptions {
  readonly failed?: true;
  readonly state?: string;
  readonly target?: string;
  readonly merchant?: string;
  readonly since?: string;
  readonly until?: string;
}

const listedLine = (delivery: ListedDelivery, { paint }: Output): string => {
  const { deliveryId, orderId, merchant, status, attempts, lastResult, firstAttemptAt, nextAttemptAt } = delivery;
  const next = nextAttemptAt === null ? '' : `, next attempt ${shownTime(nextAttemptAt)}`;
  const last = lastResult === null ? '' : `, ${printable(lastResult)}`;
  return `${shownTime(firstAttemptAt)}  ${paint('strong', deliveryId)}  order ${orderId ?? '-'} of ${merchant}  ${paint(TONES[status], status)} after ${counted(attempts, 'attempt')}${last}${next}`;
};

const listDeliveries = ({ failed, state, ...options }: ListedOptions, terminal: Output): Promise<void> => {
  if (failed === true && state !== undefined) throw new CommandFailed('--failed and --state exclude each other', EXIT.usage);
  const asked = failed === true ? { ...options, state: 'failed' } : { ...options, ...(state !== undefined && { state }) };
  return listPages<ListedDeliveries>('/deliveries', asked, terminal, (page, output) => {
    for (const delivery of page.deliveries) writeResult(output, delivery, () => listedLine(delivery, output));
  });
};

type DeliveriesOptions = NameOptions & PlaceOptions & ListedOptions;

const deliveriesOf = (name: string | undefined, options: DeliveriesOptions, terminal: Output): Promise<void> => {
  const { merchant, failed, state, target, since, until, limit, cursor, all } = options;
  const ofAll = present({ failed, state, target, since, until, limit, cursor, all });
  const isOfAll = Object.keys(ofAll).length > 0;
  if ((name === undefined) !== isOfAll)
    throw new CommandFailed('give an order, or --failed or --state to list the callbacks of all orders', EXIT.usage);
  return name === undefined ? listDeliveries({ ...ofAll, ...present({ merchant }) }, terminal) : deliveries(name, options, terminal);
};

export const addDeliveryCommands = (program: Command, { output }: CommandContext): void => {
  const callbacks = withPages(orderCommand(program, 'deliveries', '[order]'))
    .description(
      'the callbacks of an order: every attempt, its result, and the time of the next one. With --failed or --state, those of all orders, oldest first; needs a running service',
    )
    .option('--failed', 'not delivered so far, of all orders')
    .option('--state <state>', 'waiting, exhausted (given up), delivered or failed, of all orders')
    .option('--target <target>', 'callback, notify or notification')
    .option('--since <time>', 'first attempt then or later, such as 2026-11-24T08:30:00Z')
    .option('--until <time>', 'first attempt before then')
    .option(...OFFLINE)
    .action((name: string | undefined, options: DeliveriesOptions) => deliveriesOf(name, options, output()));

  callbacks
    .command('resend')
    .description(
      'send a callback once more, even if it was delivered or given up; with --failed or --state those of all orders, which --merchant, --target, --since and --until narrow. Needs a running service',
    )
    .argument('[delivery]', 'its id, which orch deliveries shows')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .option('--yes', 'send the callbacks of all orders; without it, they are only counted')
    .action((deliveryId: string | undefined, _options: object, command: Command) => {
      const options = command.optsWithGlobals<ResendOptions & ListedOptions>();
      return deliveryId === undefined ? resendDeliveries(options, output()) : resendDelivery(deliveryId, options, output());
    });
};
