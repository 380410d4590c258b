import { Option, type Command } from 'commander';
import { diff, type DiffOptions, why, type WhyOptions } from '../verbs/history';
import { addMomentOptions } from '../orders/moments';
import { addNameOptions } from '../orders/order-name';
import { replay } from '../verbs/replay';
import type { CommandContext } from '../terminal';

const ORDER = ['<order>', 'orderid, or client_orderid'] as const;
const MERCHANT = ['--merchant <login>', 'look among the orders of this merchant only'] as const;

const OFFLINE = [
  '--offline',
  'read the stores, instead of asking the running service where they are not at hand and a token is given',
] as const;

/** The verbs that ask how an order came to be what it is. They write nothing. */
export const addHistoryCommands = (program: Command, { output }: CommandContext): void => {
  const compared = program
    .command('diff')
    .description('what differs between two moments of one order, and the event behind each changed field; works beside a running service')
    .argument(...ORDER)
    .requiredOption('--from <moment>', 'a revision of the order’s stream, counted from 0, or a time with Z or an offset')
    .requiredOption('--to <moment>', 'the same, and not earlier')
    .option('--true', 'times are the gates’ own, instead of those at which we had it on record')
    .option(...MERCHANT)
    .option(...OFFLINE)
    .action((name: string, options: DiffOptions) => diff(name, options, output()));
  addNameOptions(compared);

  const asked = program
    .command('why')
    .description('the event that gave a field of an order its value, its actor, and its causes back to the request')
    .argument(...ORDER)
    .argument('<field>', 'as orch replay --json names it, such as status, amount, card.bin or followUps[0].status')
    .option(...MERCHANT)
    .option(...OFFLINE)
    .action((name: string, field: string, options: WhyOptions) => why(name, field, options, output()));
  addMomentOptions(addNameOptions(asked));

  const replayed = program
    .command('replay')
    .description('fold one order event by event and show each state, or decide all orders again under other rules')
    .argument('[order]', 'orderid, or client_orderid')
    .addOption(
      new Option('--what-if <rules>', 'decide every order again with the gates, screening and routing of this file').conflicts([
        'orderid',
        'clientOrderid',
      ]),
    )
    .option('--summary', 'with --what-if: the totals alone')
    .option('--merchant <login>', 'the orders of this merchant only')
    .action((name: string | undefined, options: Parameters<typeof replay>[1]) => replay(name, options, output()));
  addNameOptions(replayed);
};
