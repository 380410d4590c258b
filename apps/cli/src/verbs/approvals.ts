import { Option, type Command } from 'commander';
import type { ApprovalState, ListedApproval, ListedApprovals, ShownApproval } from '@app/investigation';
import { listPages, withPages, type PageOptions } from '../listed-pages';
import { claimOf, OperatorPort } from '../operator-port';
import { shownTime } from '../orders/moments';
import { ACTOR, ALONE, printable, REASON, writeResult, type CommandContext, type Output, type Tone } from '../terminal';

const STATES: readonly ApprovalState[] = ['waiting', 'approved', 'decided'];

const TONES: Readonly<Record<ListedApproval['status'], Tone>> = {
  waiting: 'waiting',
  approved: 'waiting',
  done: 'good',
  refused: 'bad',
  rejected: 'bad',
  expired: 'bad',
  invalidated: 'bad',
};

const lineOf = (approval: ListedApproval, { paint }: Output): string => {
  const { approvalId, action, target, merchant, amount, currency, to, followUp, status, proposer, decider, isAlone, cause, expiresAt } =
    approval;
  const effect = [
    followUp === null ? '' : `, follow-up ${followUp}`,
    amount === null ? '' : ` of ${amount} ${currency ?? ''}`,
    to === null ? '' : ` as ${to}`,
    merchant === null ? '' : ` (${merchant})`,
  ].join('');
  const decided = decider === null ? '' : `, decided by ${decider}${isAlone ? ' alone' : ''}`;
  const state = `${paint(TONES[status], status)}${cause === null ? '' : ` (${cause})`}`;
  const until = status === 'waiting' ? ` until ${shownTime(expiresAt)}` : '';
  return `${paint('strong', approvalId)}  ${action} ${target}${effect}  ${state}${until}, proposed by ${proposer}${decided}`;
};

type Value = string | number | boolean | null | undefined;
const valueText = (value: Value): string => (value === null || value === undefined ? 'nothing' : printable(String(value)));

/** The changes of a configuration in words. */
export const changeLines = ({
  changes,
  changeCount,
}: {
  readonly changes: readonly { readonly field: string; readonly before?: Value; readonly after?: Value }[];
  readonly changeCount: number;
}): readonly string[] => [
  ...changes.map(({ field, before, after }) => `  ${printable(field)}: ${valueText(before)} becomes ${valueText(after)}`),
  ...(changeCount > changes.length ? [`  and ${changeCount - changes.length} more changes`] : []),
];

const renderApproval = (approval: ShownApproval, output: Output): readonly string[] => {
  const { configuration } = approval;
  return [
    lineOf(approval, output),
    ...(configuration === undefined ? [] : [`file ${configuration.digest}`, ...changeLines(configuration)]),
  ];
};

const showApproval = (approval: ShownApproval, output: Output): void =>
  writeResult(output, { approval }, () => renderApproval(approval, output));

/** Shows the proposal if the action needs, or had, a second person. */
export const isUnderApproval = (answer: object, output: Output): boolean => {
  const { approval } = answer as { readonly approval?: ShownApproval };
  if (approval !== undefined) showApproval(approval, output);
  return approval !== undefined;
};

export interface AloneOptions {
  readonly alone?: true;
}

export const aloneOf = ({ alone }: AloneOptions): { readonly alone?: true } => (alone === true ? { alone } : {});

interface ListOptions extends PageOptions {
  readonly state?: ApprovalState;
  readonly mine?: true;
}

const listApprovals = ({ state = 'waiting', mine, ...options }: ListOptions, terminal: Output): Promise<void> =>
  listPages<ListedApprovals>('/approvals', { ...options, state, ...(mine === true && { mine: 'true' }) }, terminal, (page, output) => {
    for (const approval of page.approvals) writeResult(output, approval, () => lineOf(approval, output));
  });

const show = async (approvalId: string, output: Output): Promise<void> =>
  showApproval(await OperatorPort.of().read<ShownApproval>(`/approvals/${encodeURIComponent(approvalId)}`), output);

interface DecideOptions extends AloneOptions {
  readonly reason?: string;
  readonly actor?: string;
}

const decide = async (
  approvalId: string,
  what: 'approving' | 'rejecting' | 'execution',
  { reason, actor, ...options }: DecideOptions,
  output: Output,
): Promise<void> => {
  const action = { ...(reason !== undefined && { reason }), ...claimOf(actor), ...aloneOf(options) };
  const answer = await OperatorPort.of().ask<{ readonly approval: ShownApproval }>(
    `/approvals/${encodeURIComponent(approvalId)}/${what}`,
    action,
  );
  showApproval(answer.approval, output);
};

const APPROVAL = ['<approval>', 'its id in orch approvals'] as const;

export const addApprovalCommands = (program: Command, { output }: CommandContext): void => {
  const approvals = program.command('approvals').description('actions that need the approval of a second person; needs a running service');

  withPages(approvals.command('list', { isDefault: true }))
    .description('list them: those that wait, oldest first')
    .addOption(new Option('--state <state>', 'approved: not known to be executed').choices(STATES))
    .option('--mine', 'only those that I proposed')
    .action((options: ListOptions) => listApprovals(options, output()));

  approvals
    .command('show')
    .description('one proposal, with the changes of a proposed configuration; this query is recorded')
    .argument(...APPROVAL)
    .action((approvalId: string) => show(approvalId, output()));

  approvals
    .command('approve')
    .description('approve the proposal of another person, and execute its action')
    .argument(...APPROVAL)
    .option(...REASON)
    .option(...ACTOR)
    .option(...ALONE)
    .action((approvalId: string, options: DecideOptions) => decide(approvalId, 'approving', options, output()));

  approvals
    .command('reject')
    .description('reject a proposal, or withdraw your own')
    .argument(...APPROVAL)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((approvalId: string, options: DecideOptions) => decide(approvalId, 'rejecting', options, output()));

  approvals
    .command('execute')
    .description('execute an approved action whose execution is not recorded')
    .argument(...APPROVAL)
    .option(...ACTOR)
    .action((approvalId: string, options: DecideOptions) => decide(approvalId, 'execution', options, output()));
};
