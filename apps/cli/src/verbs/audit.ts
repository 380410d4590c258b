import { type Command, Option } from 'commander';
import { AUDIT_FORMATS, leavesOf, type AuditFormat, type ShownConfiguration, type TrailEntry, type TrailPage } from '@app/investigation';
import { CommandFailed, EXIT, type Output, printable, writeResult, type CommandContext, ACTOR } from '../terminal';
import { claimOf, OperatorPort, pathWith } from '../operator-port';
import { listActivity, withActivityOptions, type ActivityOptions } from './activity';
import { nameKindOf, type NameOptions, orderPath, orderCommand } from '../orders/order-name';

/** What an answer's rows omit, in the operator port's words, for any format. */
export const leftOutOf = (headers: Headers): readonly string[] => headers.get('Audit-Left-Out')?.split(', ') ?? [];

interface TrailOptions extends NameOptions {
  readonly format?: AuditFormat;
  readonly reveal?: true;
  readonly reason?: string;
  readonly actor?: string;
}

export const LAST_BREAK = /\n$/;
const TRAIL_INDENT = ' '.repeat(5);

export const trailLines = (entry: TrailEntry, { paint }: Pick<Output, 'paint'>): readonly string[] => {
  const who = entry.claimedActor === null ? entry.actor : `${entry.actor} for ${entry.claimedActor}`;
  const cause = entry.causedBy === null ? '' : `  after ${entry.causedBy}`;
  const data = [...(entry.data === null ? [] : leavesOf(entry.data))].filter(([, value]) => value !== null);
  const width = Math.max(0, ...data.map(([name]) => name.length));
  return [
    `${String(entry.number).padStart(3)}  ${paint('faint', entry.at)}  ${entry.category}  ${paint('strong', entry.type)}  ${printable(who)}${cause}`,
    ...(entry.problem === null ? [] : [`${TRAIL_INDENT}${printable(entry.problem)}`]),
    ...data.map(([name, value]) => `${TRAIL_INDENT}${paint('faint', printable(name).padEnd(width))}  ${printable(String(value))}`),
  ];
};

const writeTrail = ({ orderId, merchant, trail }: TrailPage, output: Output): void => {
  if (!output.isJson) output.line(`order ${output.paint('strong', orderId)} of ${merchant}, ${trail.length} events`);
  for (const entry of trail) writeResult(output, entry, () => trailLines(entry, output));
};

export const orderTrail = async (order: string, options: TrailOptions, output: Output): Promise<void> => {
  const { merchant, format, reveal, reason, actor } = options;
  if (format !== undefined && output.isJson) throw new CommandFailed('--json and --format exclude each other', EXIT.usage);
  if ((reveal === true) !== (reason !== undefined)) throw new CommandFailed('--reveal needs --reason, which is recorded', EXIT.usage);
  const asked = { merchant, by: nameKindOf(options), ...claimOf(actor), format: format ?? 'json' };
  const path = orderPath(order);
  const { text, headers } = await (reveal === true
    ? OperatorPort.of().askAudited(`${path}/reveal`, { ...asked, reason })
    : OperatorPort.of().askAudited(pathWith(path, asked)));
  if (format === undefined) writeTrail(JSON.parse(text) as TrailPage, output);
  else output.line(text.replace(LAST_BREAK, ''));
  const leftOut = leftOutOf(headers);
  if (leftOut.includes('questions')) output.problem('the trail has no room for all queries about the order: some are left out');
  if (leftOut.includes('events')) output.problem('the order has more events than a trail can contain: the rest is left out');
};

interface ConfigurationOptions {
  readonly at?: string;
  readonly actor?: string;
}

const INDENT = 2;

const showConfiguration = async ({ at, actor }: ConfigurationOptions, output: Output): Promise<void> => {
  const { text } = await OperatorPort.of().askAudited(pathWith('/audit/configuration', { at, ...claimOf(actor) }));
  const { version: _version, ...inForce } = JSON.parse(text) as ShownConfiguration;
  writeResult(output, inForce, () => {
    const { digest, tookEffectAt, replacedAt, process: bootId, omitted, keys, configuration } = inForce;
    return [
      `configuration ${output.paint('strong', digest)}`,
      `took effect ${tookEffectAt}, ${replacedAt === null ? 'and is the newest recorded' : `replaced ${replacedAt}`}; process ${bootId}`,
      `keys of the vault: ${keys.join(', ')}`,
      configuration === null ? `no copy: ${omitted ?? '-'}` : JSON.stringify(configuration, null, INDENT),
    ];
  });
};

export const FORMAT = (): Option => new Option('--format <format>', 'output for programs (docs/audit.md)').choices(AUDIT_FORMATS);

export const addAuditCommands = (program: Command, { output }: CommandContext): void => {
  const audit = orderCommand(program, 'audit')
    .description(
      'show the full audit trail of an order: events, cards, callbacks, operator actions and queries; this query is recorded too',
    )
    .addOption(FORMAT())
    .option('--reveal', 'show personal data and other sealed texts; needs --reason')
    .option('--reason <text>', 'the reason to show them; stored sealed')
    .option(...ACTOR)
    .action((order: string, options: TrailOptions) => orderTrail(order, options, output()));

  audit
    .command('configuration')
    .description('show the configuration at a moment: rules, gate settings, ids of keys; this query is recorded')
    .option('--at <time>', 'a time with Z or an offset, such as 2026-11-24T08:30:00Z (default: now)')
    .action((options: ConfigurationOptions, command: Command) =>
      showConfiguration({ ...options, ...command.optsWithGlobals<ConfigurationOptions>() }, output()),
    );

  withActivityOptions(audit.command('operator'))
    .description('list what an operator did, asked and was refused, newest first; needs a running service')
    .argument('<name>', 'the name of the operator')
    .action((person: string, options: ActivityOptions) => listActivity({ ...options, person }, output()));
};
