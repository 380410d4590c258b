import type { Command } from 'commander';
import { orderKeyOf } from '@app/card-vault';
import { erasureOf, foreseeRetention, hasRules, type ForeseenErasure, type WhyNotErased } from '@app/investigation/erasure';
import type { CustomerFound, Erased } from '@app/investigation';
import { systemClock, type Instant, type MerchantLogin } from '@app/kernel';
import { StreamErasableData } from '@app/read-models/queries';
import { CommandFailed, counted, EXIT, type Output, listing, type CommandContext, writeResult, ACTOR, ALONE, MERCHANT } from '../terminal';
import { aloneOf, isUnderApproval, type AloneOptions } from './approvals';
import { claimOf, OperatorPort } from '../operator-port';
import { orderToChange, type NameOptions, orderCommand } from '../orders/order-name';
import { isoText } from '../orders/moments';
import { ownEnvironment, configurationOf, withReaders, builtReadModel } from '../stores';

type CustomerOrder = CustomerFound['orders'][number];

/** A log of a billion events has fewer pages. */
const PAGES_MAX = 1_000_000;

/** The orders of one payer, page by page to the end of the log; each once. @throws CommandFailed */
export async function* customerOrders(ask: (action: object) => Promise<unknown>, asked: object): AsyncGenerator<CustomerOrder> {
  const seen = new Set<string>();
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { orders, next } = (await ask({ ...asked, ...(after !== undefined && { after }) })) as Omit<CustomerFound, 'reason'>;
    for (const order of orders) {
      if (seen.has(order.orderId)) continue;
      seen.add(order.orderId);
      yield order;
    }
    if (next === undefined) return;
    after = next;
  }
  throw new CommandFailed(`more than ${PAGES_MAX} pages`);
}

interface EraseOptions extends AloneOptions {
  readonly order?: string;
  readonly orderid?: string;
  readonly clientOrderid?: string;
  readonly customer?: string;
  readonly card?: string;
  readonly reason: string;
  readonly merchant?: string;
  readonly endReferences?: true;
  readonly dryRun?: true;
  readonly actor?: string;
}

/** An erasure opens and ends several streams and waits for the vault. */
const ERASING_MS = 60_000;

const erase = async (options: EraseOptions, output: Output): Promise<void> => {
  const { order, orderid, clientOrderid, customer, card, dryRun } = options;
  if ([order, orderid, clientOrderid, customer, card].filter((one) => one !== undefined).length !== 1)
    throw new CommandFailed('one of --order, --orderid, --client-orderid, --customer and --card is needed', EXIT.usage);
  if (dryRun === true && customer === undefined) throw new CommandFailed('--dry-run is for --customer', EXIT.usage);
  if (order !== undefined) return eraseOrder(order, {}, options, output);
  if (orderid !== undefined) return eraseOrder(orderid, { orderid: true }, options, output);
  if (clientOrderid !== undefined) return eraseOrder(clientOrderid, { clientOrderid: true }, options, output);
  if (card !== undefined) return eraseCard(card, options, output);
  return eraseCustomer(customer ?? '', options, output);
};

const ask = (port: OperatorPort, path: string, action: object): Promise<Erased> => port.ask(path, action, ERASING_MS);

const messageOf = ({ reason, merchant, actor, endReferences, ...options }: EraseOptions): object => ({
  reason,
  ...claimOf(actor),
  ...aloneOf(options),
  ...(merchant !== undefined && { merchant }),
  ...(endReferences === true && { endsReferences: true }),
});

const told = (what: string, { requestId, texts, cards }: Erased): string =>
  requestId === undefined
    ? `${what}: nothing left to erase`
    : `${what}: ${counted(texts, 'key')} of texts and ${counted(cards, 'card')} erased, request ${requestId}`;

const eraseOrder = async (name: string, kind: NameOptions, options: EraseOptions, output: Output): Promise<void> => {
  const { port, order } = await orderToChange(name, {
    ...kind,
    ...(options.merchant !== undefined && { merchant: options.merchant }),
  });
  const { orderId, merchant } = order;
  const erased = await ask(port, `/orders/${orderId}/erasure`, { ...messageOf(options), merchant });
  if (!isUnderApproval(erased, output)) writeResult(output, { orderId, ...erased }, () => told(`order ${orderId}`, erased));
};

const eraseCard = async (cardRefId: string, options: EraseOptions, output: Output): Promise<void> => {
  if (options.endReferences === true)
    throw new CommandFailed('--end-references applies to orders only. With --card all references end anyway', EXIT.usage);
  const erased = await ask(OperatorPort.of(), `/card-references/${encodeURIComponent(cardRefId)}/erasure`, messageOf(options));
  if (!isUnderApproval(erased, output)) writeResult(output, { cardRefId, ...erased }, () => told(`card reference ${cardRefId}`, erased));
};

const eraseCustomer = async (customer: string, options: EraseOptions, output: Output): Promise<void> => {
  const { merchant, actor, dryRun } = options;
  if (merchant === undefined) throw new CommandFailed('--customer needs --merchant, the merchant of the payer', EXIT.usage);
  const port = OperatorPort.of();
  const asked = { merchant, customer, ...claimOf(actor) };
  const orders: CustomerOrder[] = [];
  // Find all orders before the first erasure: erased text matches no customer.
  for await (const order of customerOrders((action) => port.ask('/customers/orders', action, ERASING_MS), asked)) orders.push(order);
  let refused = 0;
  for (const { orderId, clientOrderId, status } of orders) {
    if (dryRun === true) {
      writeResult(output, { orderId, clientOrderId, status }, () => `order ${orderId}: ${status}`);
      continue;
    }
    try {
      const erased = await ask(port, `/orders/${orderId}/erasure`, messageOf(options));
      if (!isUnderApproval(erased, output)) writeResult(output, { orderId, ...erased }, () => told(`order ${orderId}`, erased));
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.exitCode !== EXIT.refused) throw error;
      refused += 1;
      const { message } = error;
      writeResult(output, { orderId, refused: message }, () => `order ${orderId}: ${message}`);
    }
  }
  if (!output.isJson) output.line(`${orders.length} orders of this payer at ${merchant}${refused > 0 ? `, ${refused} not erased` : ''}`);
  if (refused > 0) throw new CommandFailed(`${refused} of ${orders.length} orders were refused`, EXIT.refused);
};

interface HoldOptions extends NameOptions, AloneOptions {
  readonly reason?: string;
  readonly actor?: string;
}

const holdOrder = async (name: string, options: HoldOptions, isRelease: boolean, output: Output): Promise<void> => {
  const { reason, actor } = options;
  if (reason === undefined) throw new CommandFailed("required option '--reason <text>' not specified", EXIT.usage);
  const { port, order } = await orderToChange(name, options);
  const { orderId, merchant } = order;
  const path = `/orders/${orderId}/hold${isRelease ? '/release' : ''}`;
  const answer = await port.ask<{ readonly isHeld: boolean }>(path, { reason, ...claimOf(actor), ...aloneOf(options), merchant });
  if (isUnderApproval(answer, output)) return;
  const { isHeld } = answer;
  writeResult(output, { orderId, isHeld }, () => `order ${orderId} is ${isHeld ? 'under legal hold' : 'not under legal hold any more'}`);
};

interface RetentionOptions {
  readonly dryRun?: true;
  readonly merchant?: string;
}

const PAGE = 500;

const retention = ({ dryRun, merchant }: RetentionOptions, terminal: Output): Promise<void> => {
  if (dryRun !== true) throw new CommandFailed('the worker erases by age. Add --dry-run to see what it would erase', EXIT.usage);
  return listing(terminal, async (output) => {
    const environment = ownEnvironment();
    const { retention: rules, accounts } = configurationOf(environment);
    if (!hasRules(rules)) {
      if (!output.isJson) output.line('the configuration has no rule that erases by age');
      return;
    }
    await withReaders(environment, async (readers) => {
      const { log } = readers;
      const readModel = builtReadModel(readers);
      const erasableData = new StreamErasableData({ log, readModel, sealer: { keyOf: orderKeyOf }, clock: systemClock });
      const counts = { orders: 0, texts: 0, cards: 0, kept: {} as Partial<Record<WhyNotErased, number>> };
      for (const login of merchant === undefined ? accounts.logins : [merchant as MerchantLogin]) {
        let after: Parameters<typeof readModel.operatorOrders.touchedOf>[3];
        for (;;) {
          const page = await readModel.operatorOrders.touchedOf(login, 0 as Instant, PAGE, after);
          for (const { stream, view } of page) {
            const held = await erasableData.of(stream);
            if (held === undefined) continue;
            const one = foreseeRetention(rules, held, await erasureOf(log, stream), systemClock.now());
            counts.orders += 1;
            counts.texts += Number(one.texts);
            counts.cards += Number(one.cards);
            for (const reason of one.whyNot) counts.kept[reason] = (counts.kept[reason] ?? 0) + 1;
            writeOne(view.orderId, one, output);
          }
          after = page.at(-1)?.stream;
          if (page.length < PAGE) break;
        }
      }
      const kept = Object.entries(counts.kept).map(([reason, count]) => `${count} ${reason}`);
      writeResult(
        output,
        { summary: counts },
        () =>
          `of ${counts.orders} orders the texts of ${counts.texts} and the cards of ${counts.cards} would be erased${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}`,
      );
    });
  });
};

const writeOne = (orderId: string, { texts, cards, whyNot, nextAt }: ForeseenErasure, output: Output): void => {
  if (!texts && !cards && (whyNot.length === 0 || (whyNot.length === 1 && whyNot[0] === 'not-yet' && !output.isJson))) return;
  writeResult(output, { orderId, texts, cards, whyNot, ...(nextAt !== undefined && { nextAt: isoText(nextAt) }) }, () => {
    const erased = [...(texts ? ['texts'] : []), ...(cards ? ['cards'] : [])];
    const stays = whyNot.map((one) => (one === 'not-yet' && nextAt !== undefined ? `more from ${isoText(nextAt)}` : one));
    return `order ${orderId}: ${[erased.length === 0 ? 'nothing' : erased.join(' and '), ...stays].join(', ')}`;
  });
};

const GROUNDS = ['--reason <text>', 'the reason; stored sealed, and readable after an erasure'] as const;

export const addErasureCommands = (program: Command, { output }: CommandContext): void => {
  program
    .command('erase')
    .description('destroy the keys of an order’s personal data and cards; final and recorded, needs a running service')
    .option('--order <order>', 'erase this order, by orderid or client_orderid')
    .option('--orderid <id>', 'erase this order, by orderid')
    .option('--client-orderid <id>', 'erase this order, by client_orderid')
    .option('--customer <identity>', 'erase all orders of this payer at a merchant: an e-mail address or a telephone number')
    .option('--card <cardrefid>', 'erase only the card of this reference, with every reference to it')
    .requiredOption(...GROUNDS)
    .option('--merchant <login>', 'the merchant of the order, reference or payer')
    .option('--end-references', 'also erase an order with a valid card reference, which can then no longer be charged')
    .option('--dry-run', 'with --customer: show the orders and erase none')
    .option(...ACTOR)
    .option(...ALONE)
    .action((options: EraseOptions) => erase(options, output()));

  const hold = orderCommand(program, 'hold')
    .description('put an order under legal hold: it is not erased, neither on request nor by age')
    .option(...GROUNDS)
    .option(...ACTOR)
    .action((name: string, options: HoldOptions) => holdOrder(name, options, false, output()));

  orderCommand(hold, 'release')
    .description('end the legal hold of an order')
    .option(...GROUNDS)
    .option(...ACTOR)
    .option(...ALONE)
    .action((name: string, _options: HoldOptions, command: Command) => holdOrder(name, command.optsWithGlobals(), true, output()));

  program
    .command('retention')
    .description('what the retention rules would erase by age, and why the rest is kept')
    .option('--dry-run', 'required: this command only shows, the worker erases')
    .option(...MERCHANT)
    .action((options: RetentionOptions) => retention(options, output()));
};
