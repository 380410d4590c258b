import { Option, type Command } from 'commander';
import { deliveries, resendDelivery, type ResendOptions } from '../verbs/deliveries';
import { type PlaceOptions, addNameOptions, type NameOptions } from '../orders/order-name';
import { listUnknown, resolveUnknown, type ResolveOptions, listUnknownAt } from '../verbs/unknown';
import { addMomentOptions } from '../orders/moments';
import { find, type FindOptions } from '../verbs/find';
import { show, type ShowOptions } from '../verbs/show';
import type { CommandContext } from '../terminal';

const ACTOR = [
  '--actor <name>',
  'the person for whom you act, recorded beside the operator of the token; the user of this terminal where it is left out',
] as const;

const OFFLINE = [
  '--offline',
  'read the stores, instead of asking the running service where they are not at hand and a token is given',
] as const;

const REASON = ['--reason <text>', 'why; stored sealed'] as const;

/** The verbs that read orders, and the actions of operators on them. */
export const addOrderCommands = (program: Command, { output }: CommandContext): void => {
  const shown = program
    .command('show')
    .description(
      'the timeline of one order: its events, its card references, its callbacks; now, or as of a moment; works beside a running service',
    )
    .argument('<order>', 'orderid, or client_orderid')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .option(
      '--follow-upstream <place>',
      'show what its attempts became at an upstream gateway too: its DATA_DIR, or a file with its environment',
    )
    .option(...OFFLINE)
    .action((name: string, options: ShowOptions) => show(name, options, output()));
  addMomentOptions(addNameOptions(shown));

  program
    .command('find')
    .description(
      'the orders that an identifier names: orderid, client_orderid, card reference, unique card id, serial number, receipt, delivery, or a reference of the gate',
    )
    .argument('<identifier>')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .option('--limit <number>', 'orders of a page, where a card or a reference to it has many: 100 where it is left out, at most 1000')
    .option('--after <place>', 'continue after an earlier page, which shows this value')
    .option(...OFFLINE)
    .action((text: string, options: FindOptions) => find(text, options, output()));

  const callbacks = program
    .command('deliveries')
    .description('the callbacks of one order: every try, its outcome, and when the next is due; works beside a running service')
    .argument('<order>', 'orderid, or client_orderid')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .option(...OFFLINE)
    .action((name: string, options: NameOptions & PlaceOptions) => deliveries(name, options, output()));
  addNameOptions(callbacks);

  callbacks
    .command('resend')
    .description('have the running service send a callback once more, even one that was delivered or given up')
    .argument('<delivery>', 'its id, which orch deliveries shows')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((deliveryId: string, options: ResendOptions) => resendDelivery(deliveryId, options, output()));

  const unknown = program.command('unknown').description('orders with an outcome that no gate reported');

  unknown
    .command('list')
    .description('all of them, the oldest first; works beside a running service')
    .option('--merchant <login>', 'those of this merchant only')
    .option('--known-at <time>', 'those that were unknown at this time, by what was on record then; in the order of their streams')
    .option(...OFFLINE)
    .action((options: PlaceOptions & { merchant?: string; knownAt?: string }) =>
      options.knownAt === undefined ? listUnknown(options, output()) : listUnknownAt({ ...options, knownAt: options.knownAt }, output()),
    );

  const resolving = unknown
    .command('resolve')
    .description('record the outcome of one by the gate’s own records; done by the running service, and final')
    .argument('<order>', 'orderid, or client_orderid')
    .addOption(new Option('--as <outcome>', 'its outcome').choices(['approved', 'declined']).makeOptionMandatory())
    .requiredOption(...REASON)
    .option(...ACTOR)
    .option('--merchant <login>', 'whose order it is')
    .option('--follow-up <number>', 'its follow-up of this number, as orch show counts them, instead of the order itself')
    .action((name: string, options: ResolveOptions) => resolveUnknown(name, options, output()));
  addNameOptions(resolving);
};
