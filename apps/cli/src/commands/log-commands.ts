import { Option, type Command } from 'commander';
import { copyLogTo, type CopyLogOptions } from '../log/copy-log';
import { listParked, rebuild } from '../verbs/rebuild';
import { collect, type CommandContext } from '../terminal';

/** A password in an argument appears in the list of processes; one in the environment does not. */
const logOption = (flag: string, variable: string, description: string): Option =>
  new Option(`${flag} <url>`, description).env(variable).makeOptionMandatory();

export const addRebuildCommand = (program: Command, { output }: CommandContext): void => {
  program
    .command('rebuild')
    .description('rebuild the read models from the event log, beside the running service or without one')
    .option('--only <projection>', 'this projection alone; may be given several times', collect, [])
    .option('--stream <stream>', 'have a running service project one parked stream again instead')
    .action((options: { only: readonly string[]; stream?: string }) => rebuild(options, output()));
};

export const addStreamsCommand = (program: Command, { output }: CommandContext): void => {
  program
    .command('streams')
    .description('the streams of the event log, as the read models have them')
    .command('parked')
    .description('those that a read model goes on without: since when, why, and the next step; works beside a running service')
    .action(() => listParked(output()));
};

export const addCopyLogCommand = (program: Command, { output, endedWith }: CommandContext): void => {
  program
    .command('copy-log')
    .description(
      'copy an event log into another store, or continue a copy, and verify every stream; nothing else may write to the target meanwhile',
    )
    .addOption(logOption('--from', 'COPY_LOG_FROM', 'the log to read: a path, file:, esdb:// or esdb+discover://'))
    .addOption(logOption('--to', 'COPY_LOG_TO', 'the log to write, the same; a file is made where there is none'))
    .option('--verify-only', 'compare both and write nothing')
    .option('--stream <name>', 'this stream alone; may be given several times', collect, [])
    .option('--order <order>', 'the streams of one order alone, by orderid or client_orderid: itself, its callbacks, its card references')
    .option('--orderid <id>', 'the same, by its orderid alone')
    .option('--client-orderid <id>', 'the same, by its client_orderid alone')
    .option('--merchant <login>', 'whose order it is')
    .action(async (options: CopyLogOptions) => {
      endedWith(await copyLogTo(options, output()));
    });
};
