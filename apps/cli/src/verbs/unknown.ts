import { unknownAt, type ListedUnknown, type UnknownAtPage, type UnknownOrdersAt } from '@app/investigation';
import type { MerchantLogin } from '@app/kernel';
import type { ListPlace } from '@app/read-models';
import type { OrderSummary } from '@app/read-models/queries';
import { Option, type Command } from 'commander';
import { aloneOf, isUnderApproval, type AloneOptions } from './approvals';
import {
  ACTOR,
  ALONE,
  CommandFailed,
  type CommandContext,
  EXIT,
  listing,
  MERCHANT,
  OFFLINE,
  type Output,
  REASON,
  writeResult,
} from '../terminal';
import { builtReadModel, withOrders } from '../stores';
import {
  portInstead,
  type PlaceOptions,
  writeOrder,
  writeSummary,
  orderToChange,
  type NameOptions,
  orderCommand,
} from '../orders/order-name';
import { knownTimeOf } from '../orders/moments';
import { claimOf } from '../operator-port';

const PAGE = 1_000;
const UNTOLD_SHOWN_MAX = 10;

/**
 * `orch unknown list --known-at <time>`: orders that were unknown then, in their state at that time.
 * @throws CommandFailed after the list, if the past of an order cannot be determined
 */
const listUnknownAt = async (
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
        const page = await port.read<UnknownOrdersAt>('/audit/orders/unknown', { knownAt, merchant, after: from });
        for (const order of page.orders) writeSummary(order, output);
        untold.push(...page.untold);
        from = page.next;
      } while (from !== undefined);
      return;
    }
    const only = merchant === undefined ? undefined : [merchant as MerchantLogin];
    await withOrders(merchant, async ({ readers }) => {
      const { log } = readers;
      const { operatorOrders } = builtReadModel(readers);
      let after: UnknownAtPage['next'];
      do {
        const page = await unknownAt({ log, orders: operatorOrders }, at, {
          limit: PAGE,
          after,
          merchants: only,
        });
        for (const view of page.orders) writeOrder(view, output);
        untold.push(...page.untold.map(({ stream, problem }) => `${stream}: ${problem}`));
        after = page.next;
      } while (after !== undefined);
    });
  });
  if (untold.length > 0)
    throw new CommandFailed(`the past of ${untold.length} orders cannot be determined: ${untold.slice(0, UNTOLD_SHOWN_MAX).join('; ')}`);
};

const PORT_PAGE = '500';

/** `orch unknown list`: orders whose outcome, or that of a follow-up, is unknown; the longest unknown first, of one merchant or of all. */
export const listUnknown = ({ merchant, ...place }: PlaceOptions & { readonly merchant?: string }, terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const port = portInstead(place);
    if (port !== undefined) {
      let cursor: string | undefined;
      do {
        const page = await port.read<ListedUnknown>('/orders/unknown', { merchant, cursor, limit: PORT_PAGE });
        for (const order of page.orders) writeSummary(order, output);
        cursor = page.next;
      } while (cursor !== undefined);
      return;
    }
    const only = merchant === undefined ? undefined : [merchant as MerchantLogin];
    await withOrders(merchant, async ({ readers }) => {
      const { operatorOrders } = builtReadModel(readers);
      let after: ListPlace | undefined;
      do {
        const page = await operatorOrders.unknown(only, { limit: PAGE, after });
        for (const { view } of page.records) writeOrder(view, output);
        after = page.next;
      } while (after !== undefined);
    });
  });

export interface ResolveOptions extends NameOptions, AloneOptions {
  readonly as: string;
  readonly reason: string;
  readonly actor?: string;
  readonly followUp?: string;
}

const NUMBER = /^[1-9]\d{0,6}$/;

const followUpOf = (text: string | undefined): { readonly followUp?: number } => {
  if (text === undefined) return {};
  if (NUMBER.test(text)) return { followUp: Number(text) };
  throw new CommandFailed('--follow-up must be a number from 1, as orch show numbers the follow-ups', EXIT.usage);
};

export const resolveUnknown = async (name: string, options: ResolveOptions, output: Output): Promise<void> => {
  const { as, reason, actor, followUp } = options;
  const resolved = followUpOf(followUp);
  const { port, order: named } = await orderToChange(name, options);
  const action = { as, reason, ...claimOf(actor), ...aloneOf(options), merchant: named.merchant, ...resolved };
  const answer = await port.ask<{ readonly order: Pick<OrderSummary, 'orderId' | 'status' | 'followUps'> }>(
    `/orders/${named.orderId}/resolution`,
    action,
  );
  if (isUnderApproval(answer, output)) return;
  const { order } = answer;
  const one = order.followUps.find(({ number }) => number === resolved.followUp);
  writeResult(
    output,
    order,
    () => `order ${order.orderId}${one === undefined ? '' : `, follow-up ${one.number}`} is ${(one ?? order).status}`,
  );
};

export const addUnknownCommands = (program: Command, { output }: CommandContext): void => {
  const unknown = program.command('unknown').description('orders with an unknown outcome');

  unknown
    .command('list')
    .description('list them, the longest unknown first')
    .option(...MERCHANT)
    .option('--known-at <time>', 'orders whose outcome was unknown at this time, as it was recorded then; ordered by stream')
    .option(...OFFLINE)
    .action((options: PlaceOptions & { merchant?: string; knownAt?: string }) =>
      options.knownAt === undefined ? listUnknown(options, output()) : listUnknownAt({ ...options, knownAt: options.knownAt }, output()),
    );

  orderCommand(unknown, 'resolve')
    .description('record an outcome that you found in the gate’s records; final, needs a running service')
    .addOption(new Option('--as <outcome>', 'the outcome').choices(['approved', 'declined']).makeOptionMandatory())
    .requiredOption(...REASON)
    .option(...ACTOR)
    .option(...ALONE)
    .option('--follow-up <number>', 'resolve this follow-up (its number in orch show) instead of the order')
    .action((name: string, options: ResolveOptions) => resolveUnknown(name, options, output()));
};
