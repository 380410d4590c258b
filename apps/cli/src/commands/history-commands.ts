import type { Command } from 'commander';
import { diff, type DiffOptions } from '../history/diff';
import { addMomentOptions } from '../history/moment-option';
import { addNameOptions } from '../order/one-order';
import { replay, type ReplayOptions } from '../history/replay';
import { why, type WhyOptions } from '../history/why';
import type { CommandContext } from './command-context';

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
    .description(
      'fold one order event by event and show each state; decide all orders again under other rules; or build all read models again beside the running service',
    )
    .argument('[order]', 'orderid, or client_orderid')
    .option('--what-if <rules>', 'decide every order again with the gates, screening and routing of this file')
    .option('--summary', 'with --what-if: the totals alone')
    .option('--merchant <login>', 'the orders of this merchant only')
    .option('--all', 'all read models, beside those that serve; compared, and switched to where they are equal')
    .option('--switch', 'with --all: switch also where rows differ')
    .option('--compare-only', 'with --all: compare, and switch to nothing')
    .option('--back', 'with --all: let those serve again that the last switch replaced')
    .option('--drop', 'with --all: drop those that the last switch replaced, and what an interrupted replay left')
    .action((name: string | undefined, options: ReplayOptions) => replay(name, options, output()));
  addNameOptions(replayed);
};
