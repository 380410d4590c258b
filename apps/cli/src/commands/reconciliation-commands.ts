import type { Command } from 'commander';
import { applyCase, closeCase, listCases, showCase, type CaseActionOptions, type CasesOptions } from '../reconciliation/cases';
import { reconcile } from '../reconciliation/reconcile';
import type { ReconcileOptions } from '../reconciliation/reconcile-options';
import { settlementFile, type SettlementFileOptions } from '../reconciliation/settlement-file';
import type { CommandContext } from './command-context';

const ACTOR = [
  '--actor <name>',
  'the person for whom you act, recorded beside the operator of the token; the user of this terminal where it is left out',
] as const;
const REASON = ['--reason <text>', 'why; stored sealed'] as const;
const CASE = ['<case>', 'its id, which orch reconcile cases shows'] as const;

/** The verbs that compare the log with what gates settled. */
export const addReconciliationCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const verb = program
    .command('reconcile')
    .description('compare the log with what a gate says, and open a case for each difference; works beside the running service')
    .option('--gate <alias>', 'whose word it is')
    .option('--file <csv>', 'its settlement file')
    .option('--earlier <csv...>', 'its files that were compared before: a line that repeats one of theirs is a duplicate')
    .option('--poll', 'have the running service ask the gate instead')
    .option('--from <time>', 'a day or a time in UTC, such as 2026-11-24; with --file, the first moment of the file where it is left out')
    .option('--to <time>', 'the same for the end; a day is meant whole')
    .option('--after <place>', 'with --poll: go on where a run before was stopped, which showed this value')
    .option('--dry-run', 'show what differs, and open no case')
    .option(...ACTOR)
    .action(async (options: ReconcileOptions) => {
      endedWith(await reconcile(options, output()));
    });

  verb
    .command('cases')
    .description('the open cases, the oldest first')
    .option('--gate <alias>', 'of this gate only')
    .option('--all', 'the closed ones too')
    .action((_options: object, command: Command) => listCases(command.optsWithGlobals<CasesOptions>(), output()));

  verb
    .command('show')
    .description('one case: what differs, and what the gate said')
    .argument(...CASE)
    .action((caseId: string) => showCase(caseId, output()));

  verb
    .command('close')
    .description('close a case and change nothing')
    .argument(...CASE)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((caseId: string, _options: object, command: Command) =>
      closeCase(caseId, command.optsWithGlobals<CaseActionOptions>(), output()),
    );

  verb
    .command('apply')
    .description('change the order to what the gate settled, and close the case; done by the running service, by an admin')
    .argument(...CASE)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((caseId: string, _options: object, command: Command) =>
      applyCase(caseId, command.optsWithGlobals<CaseActionOptions>(), output()),
    );

  program
    .command('settlement-file')
    .description('write a settlement file: of a merchant, for the installation whose upstream gateway this one is; or of a simulator gate')
    .option('--merchant <login>', 'whose orders')
    .option('--simulator <alias>', 'which gate of the simulator')
    .option('--from <time>', 'a day or a time in UTC, such as 2026-11-24')
    .option('--to <time>', 'the same for the end; a day is meant whole')
    .action((options: SettlementFileOptions) => settlementFile(options, (record) => void process.stdout.write(record)));
};
