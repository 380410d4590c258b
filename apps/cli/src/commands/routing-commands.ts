import { Option, type Command } from 'commander';
import { OPERATIONS } from '@app/orders/domain';
import { listGates } from '../operator/gates';
import { explainRoute, type ExplainOptions } from '../operator/route-explain';
import type { CommandContext } from './command-context';

/** The verbs about which gates orders go to. */
export const addRoutingCommands = (program: Command, { output }: CommandContext): void => {
  program
    .command('gates')
    .description('the configured gates, and which of them new orders do without for now, as the running service sees it')
    .action(() => listGates(output()));

  program
    .command('route')
    .description('which gates orders try')
    .command('explain')
    .description('what the running service would do with an order, and why; nothing is accepted or recorded')
    .requiredOption('--endpoint <id>', 'entry point, or group of entry points')
    .requiredOption('--amount <amount>', 'in major units, such as 10.00')
    .option('--bin <digits>', 'the first six digits of the card number')
    .option('--currency <code>', 'the entry point’s where it is left out')
    .option('--at <time>', 'a time with Z or an offset, such as 2026-11-24T08:30Z; now where it is left out')
    .option('--customer <address>', 'the payer’s e-mail address, by which a sticky split is drawn')
    .option('--country <code>', 'of the card, three letters, in place of what the gates know of its BIN')
    .addOption(new Option('--operation <operation>', 'what is asked of the gate').choices(OPERATIONS).default('sale'))
    .action((options: ExplainOptions) => explainRoute(options, output()));
};
