import type { Command } from 'commander';
import { formatAmount } from '@app/kernel';
import type { ReconciliationCaseRecord, ReconciliationCaseView } from '@app/read-models';
import { caseIdOf, caseStream, isCaseId } from '@app/reconciliation';
import { CommandFailed, EXIT, listing, type Output, printable, type CommandContext, writeResult, ACTOR, ALONE, REASON } from '../terminal';
import { aloneOf, isUnderApproval, type AloneOptions } from '../verbs/approvals';
import { claimOf, OperatorPort } from '../operator-port';
import { instantText } from '../orders/moments';
import { reconcile } from './reconcile';
import type { ReconcileOptions } from './findings';
import { withReaders, ownEnvironment, builtReadModel } from '../stores';

interface CasesOptions {
  readonly gate?: string;
  readonly all?: true;
}

interface CaseActionOptions extends AloneOptions {
  readonly reason: string;
  readonly actor?: string;
}

const LISTED_MAX = 1_000;

const orderText = ({ order }: ReconciliationCaseView): string =>
  order === undefined
    ? 'no order of ours'
    : `order ${order.orderId} of ${order.merchant}${order.followUp === undefined ? '' : `, follow-up ${order.followUp}`}`;

const listCases = ({ gate, all }: CasesOptions, terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withReaders(ownEnvironment(), async (readers) => {
      const { reconciliationCases } = builtReadModel(readers);
      for (const record of await reconciliationCases.list({ gate, isOpen: all !== true, limit: LISTED_MAX })) showLine(record, output);
    }),
  );

const showLine = ({ stream, view }: ReconciliationCaseRecord, output: Output): void => {
  const caseId = caseIdOf(stream);
  const differences = view.differences.map(({ field }) => field).join(', ');
  const columns = [
    output.paint('strong', caseId),
    view.gate,
    view.kind,
    view.operation,
    orderText(view),
    differences,
    instantText(view.openedAt),
  ];
  writeResult(output, { caseId, ...view }, () => [...columns, view.status].filter((text) => text !== '').join('  '));
};

const showCase = (caseId: string, output: Output): Promise<void> =>
  withReaders(ownEnvironment(), async (readers) => {
    const { reconciliationCases } = builtReadModel(readers);
    const record = isCaseId(caseId) ? await reconciliationCases.byStream(caseStream(caseId)) : undefined;
    if (record === undefined) throw new CommandFailed('no such case', EXIT.notFound);
    const { view } = record;
    showLine(record, output);
    if (output.isJson) return;
    output.line(
      `  attempt ${printable(view.original)}${view.key === undefined || view.key === view.original ? '' : `, request ${printable(view.key)}`}`,
    );
    for (const { field, ours = '-', theirs = '-' } of view.differences)
      output.line(`  ${field.padEnd('gate-order-id'.length)}  ${printable(ours)} here, ${printable(theirs)} there`);
    const { told } = view;
    if (told === null) output.line('  the gate does not list it');
    else {
      const sum = told.amountMinor === undefined ? '' : ` ${formatAmount(BigInt(told.amountMinor))} ${told.currency ?? ''}`;
      const at = told.processedAt === undefined ? '' : `, ${instantText(told.processedAt)}`;
      const place = told.line === undefined ? '' : `, line ${told.line} of ${view.fileDigest ?? 'a file'}`;
      output.line(`  gate: ${told.status}${sum}${at}${place}`);
    }
    output.line(`  opened by ${view.openedBy}${view.closedBy === null ? '' : `, closed by ${view.closedBy}`}`);
  });

const done = async <Answer>(
  caseId: string,
  path: 'closing' | 'application',
  { reason, actor, ...options }: CaseActionOptions,
): Promise<Answer> => {
  if (!isCaseId(caseId)) throw new CommandFailed('no such case', EXIT.notFound);
  return OperatorPort.of().ask(`/reconciliation/cases/${caseId}/${path}`, { reason, ...claimOf(actor), ...aloneOf(options) });
};

const closeCase = async (caseId: string, options: CaseActionOptions, output: Output): Promise<void> => {
  const answer = await done(caseId, 'closing', options);
  writeResult(output, answer, () => 'the case is closed');
};

const EFFECTS: Readonly<Record<string, string>> = {
  reconciled: 'the final status is changed to',
  resolved: 'the outcome, which was open, is',
  'held-already': 'nothing to change: the order already has this status',
};

const applyCase = async (caseId: string, options: CaseActionOptions, output: Output): Promise<void> => {
  const answer = await done<{ readonly to: string; readonly effect: string }>(caseId, 'application', options);
  if (isUnderApproval(answer, output)) return;
  writeResult(output, answer, () => `${EFFECTS[answer.effect] ?? answer.effect} ${answer.to}`);
};

const CASE = ['<case>', 'its id in orch reconcile cases'] as const;

export const addReconciliationCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const verb = program
    .command('reconcile')
    .description(
      'compare the log with the records of a gate, and open a case for each difference; needs a running service, except with --dry-run',
    )
    .option('--gate <alias>', 'the gate')
    .option('--file <csv>', 'the gate’s settlement file')
    .option('--earlier <csv...>', 'files that were compared before; a line that repeats one of their lines is a duplicate')
    .option('--poll', 'ask the gate instead of reading a file')
    .option('--from <time>', 'a day or a time in UTC, such as 2026-11-24 (default with --file: the first moment of the file)')
    .option('--to <time>', 'the end, in the same form; a day is included completely')
    .option('--after <place>', 'with --poll: continue an interrupted run, which printed this value')
    .option('--dry-run', 'show the differences and open no case')
    .option(...ACTOR)
    .action(async (options: ReconcileOptions) => {
      endedWith(await reconcile(options, output()));
    });

  verb
    .command('cases')
    .description('list the open cases, the oldest first')
    .option('--gate <alias>', 'cases of this gate only')
    .option('--all', 'also list closed cases')
    .action((_options: object, command: Command) => listCases(command.optsWithGlobals<CasesOptions>(), output()));

  verb
    .command('show')
    .description('show a case: the difference, and the gate’s record')
    .argument(...CASE)
    .action((caseId: string) => showCase(caseId, output()));

  verb
    .command('close')
    .description('close a case without changing the order')
    .argument(...CASE)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((caseId: string, _options: object, command: Command) =>
      closeCase(caseId, command.optsWithGlobals<CaseActionOptions>(), output()),
    );

  verb
    .command('apply')
    .description('set the order to the status that the gate settled, and close the case; for admins, needs a running service')
    .argument(...CASE)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .option(...ALONE)
    .action((caseId: string, _options: object, command: Command) =>
      applyCase(caseId, command.optsWithGlobals<CaseActionOptions>(), output()),
    );
};
