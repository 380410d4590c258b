import type { Command } from 'commander';
import { erase, type EraseOptions } from '../operator/erase';
import { holdOrder, type HoldOptions } from '../operator/hold';
import { retention, type RetentionOptions } from '../operator/retention';
import { addNameOptions } from '../order/one-order';
import type { CommandContext } from './command-context';

const ACTOR = [
  '--actor <name>',
  'the person for whom you act, recorded beside the operator of the token; the user of this terminal where it is left out',
] as const;
const REASON = ['--reason <text>', 'why; stored sealed, and readable after an erasure'] as const;

/** The verbs by which data are erased, and kept from it. */
export const addErasureCommands = (program: Command, { output }: CommandContext): void => {
  program
    .command('erase')
    .description('destroy the keys of an order’s personal data and its cards, for good; done by the running service, and on record')
    .option('--order <order>', 'of this order: orderid, or client_orderid')
    .option('--orderid <id>', 'of the order of this orderid')
    .option('--client-orderid <id>', 'of the order of this client_orderid')
    .option('--customer <identity>', 'of all orders of this payer at a merchant: an e-mail address or a telephone number')
    .option('--card <cardrefid>', 'the card of this reference alone, with every reference to it')
    .requiredOption(...REASON)
    .option('--merchant <login>', 'whose order, reference or payer it is')
    .option('--end-references', 'erase an order whose card reference lives, too: nothing charges its card any more')
    .option('--dry-run', 'with --customer: show the orders, and erase none')
    .option(...ACTOR)
    .action((options: EraseOptions) => erase(options, output()));

  const hold = program
    .command('hold')
    .description('put an order under legal hold: nothing of it is erased, neither on request nor by age')
    .argument('<order>', 'orderid, or client_orderid')
    .option(...REASON)
    .option('--merchant <login>', 'whose order it is')
    .option(...ACTOR)
    .action((name: string, options: HoldOptions) => holdOrder(name, options, false, output()));
  addNameOptions(hold);

  const release = hold
    .command('release')
    .description('end the legal hold of an order')
    .argument('<order>', 'orderid, or client_orderid')
    .option(...REASON)
    .option('--merchant <login>', 'whose order it is')
    .option(...ACTOR)
    // The parser gives options that both have to the outer one.
    .action((name: string, _options: HoldOptions, command: Command) => holdOrder(name, command.optsWithGlobals(), true, output()));
  addNameOptions(release);

  program
    .command('retention')
    .description('what the rules of the configuration would erase by age, and what stays why; works beside a running service')
    .option('--dry-run', 'show it: the worker erases by itself')
    .option('--merchant <login>', 'orders of this merchant only')
    .action((options: RetentionOptions) => retention(options, output()));
};
