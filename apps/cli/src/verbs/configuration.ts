import type { CheckedConfiguration, ConfigurationStatus } from '@app/investigation';
import type { Command } from 'commander';
import { claimOf, OperatorPort } from '../operator-port';
import { ACTOR, ALONE, CommandFailed, EXIT, type Output, type CommandContext, listing, REASON, writeResult } from '../terminal';
import { aloneOf, changeLines, isUnderApproval, type AloneOptions } from './approvals';

export const renderCheck = ({ digest, changes, changeCount, needsRestart, faults }: CheckedConfiguration): readonly string[] => {
  if (digest === undefined) return ['the file has faults:', ...faults.map((fault) => `  ${fault}`)];
  if (changeCount === 0) return [`the file is in force: ${digest}`];
  return [`file ${digest}`, ...changeLines({ changes, changeCount }), ...needsRestart.map((fault) => `  not without a restart: ${fault}`)];
};

const check = async (output: Output): Promise<void> => {
  const checked = await OperatorPort.of().read<CheckedConfiguration>('/configuration/check');
  writeResult(output, checked, () => renderCheck(checked));
  if (checked.faults.length > 0 || checked.needsRestart.length > 0)
    throw new CommandFailed('the file cannot be applied while the service runs', EXIT.refused);
};

interface ApplyOptions extends AloneOptions {
  readonly reason: string;
  readonly digest?: string;
  readonly actor?: string;
}

const apply = async ({ reason, digest, actor, ...options }: ApplyOptions, output: Output): Promise<void> => {
  const action = { reason, ...(digest !== undefined && { digest }), ...claimOf(actor), ...aloneOf(options) };
  const applied = await OperatorPort.of().ask<{ readonly isApplied: boolean; readonly digest: string }>('/configuration/apply', action);
  if (isUnderApproval(applied, output)) return;
  writeResult(output, applied, () =>
    applied.isApplied
      ? `applied ${applied.digest}; the other processes follow within seconds (orch configuration status)`
      : `already in force: ${applied.digest}`,
  );
};

const status = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const { digest, applied, processes } = await OperatorPort.of().read<ConfigurationStatus>('/configuration/status');
    writeResult(output, { digest, applied }, () => [
      `in force ${digest}`,
      applied === null ? 'none was applied while the service ran' : `applied ${applied.at}: ${applied.digest}`,
    ]);
    for (const one of processes)
      writeResult(
        output,
        one,
        () => `  process ${one.process}  ${one.outcome} ${one.at}  ${one.digest}${one.why === null ? '' : `  ${one.why}`}`,
      );
  });

export const addConfigurationCommands = (program: Command, { output }: CommandContext): void => {
  const configuration = program.command('configuration').description('the configuration of the running service');
  configuration
    .command('check')
    .description('compare the file of the running service with what is in force there; this query is recorded')
    .action(() => check(output()));
  configuration
    .command('apply')
    .description('make every process take its file without a restart, as a whole or not at all')
    .requiredOption(...REASON)
    .option('--digest <digest>', 'the digest that check printed: refuse if the file has changed since')
    .option(...ACTOR)
    .option(...ALONE)
    .action((options: ApplyOptions) => apply(options, output()));
  configuration
    .command('status')
    .description('the configuration in force, the one that was last applied, and what each process did with it')
    .action(() => status(output()));
};
