import type { Command } from 'commander';
import type { ActivityListed, ActivityShown } from '@app/investigation';
import { listPages, withPages, type PageOptions } from '../listed-pages';
import { shownTime } from '../orders/moments';
import { type CommandContext, type Output, printable, type Tone, writeResult } from '../terminal';

export interface ActivityOptions extends PageOptions {
  readonly kind?: string;
  readonly without?: string;
  readonly name?: string;
  readonly target?: string;
  readonly since?: string;
  readonly until?: string;
}

const TONES: Readonly<Record<string, Tone>> = { done: 'good', refused: 'waiting', failed: 'bad', unknown: 'bad' };

const line = (entry: ActivityShown, { paint }: Output): string => {
  const { at, kind, person, claimedActor, name, target, outcome, count } = entry;
  const who = claimedActor === null ? person : `${person} for ${claimedActor}`;
  const about = target === null ? '' : ` ${printable(target)}`;
  const rows = count === null ? '' : kind === 'refusal' ? `, count: ${count}` : `, rows: ${count}`;
  const ended = outcome === null ? '' : `: ${paint(TONES[outcome] ?? 'plain', outcome)}`;
  return `${shownTime(at)}  ${paint('strong', printable(who))}  ${kind} ${name}${about}${ended}${rows}`;
};

export const listActivity = (options: ActivityOptions & { readonly person?: string }, terminal: Output): Promise<void> =>
  listPages<ActivityListed>('/activity', { ...options }, terminal, ({ activity, isCutShort }, output) => {
    for (const entry of activity) writeResult(output, entry, () => line(entry, output));
    if (isCutShort === true) output.problem('the page reached the limit of entries checked');
  });

export const withActivityOptions = (command: Command): Command =>
  withPages(command)
    .option('--kind <kind>', 'action (such as sign-in), reveal (of personal data), query, refusal, session or configuration')
    .option('--without <kind>', 'all but this kind, such as query')
    .option('--name <name>', 'this action, query or cause of a refusal, as orch activity shows it: sign-in, return-order, act-alone')
    .option('--target <target>', 'about this orderid, delivery, case, stream, merchant or gate')
    .option('--since <time>', 'then or later, such as 2026-11-24T08:30:00Z')
    .option('--until <time>', 'before then');

export const addActivityCommand = (program: Command, { output }: CommandContext): void => {
  withActivityOptions(program.command('activity'))
    .description('list what operators did, asked and were refused, and changes of the configuration, newest first; needs a running service')
    .option('--person <name>', 'of this operator')
    .action((options: ActivityOptions & { readonly person?: string }) => listActivity(options, output()));
};
