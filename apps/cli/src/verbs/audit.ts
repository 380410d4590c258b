import { hash } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  AUDIT_FORMATS,
  leavesOf,
  type AuditFormat,
  type ShownConfiguration,
  type TrailEntry,
  type TrailPage,
  fileInPack,
} from '@app/investigation';
import { CommandFailed, EXIT, type Output, printable, writeResult, type CommandContext, ACTOR, REASON } from '../terminal';
import { claimOf, OperatorPort, pathWith } from '../operator-port';
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
    ? OperatorPort.of().askOnRecord(`${path}/reveal`, { ...asked, reason })
    : OperatorPort.of().askOnRecord(pathWith(path, asked)));
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
  const { text } = await OperatorPort.of().askOnRecord(pathWith('/audit/configuration', { at, ...claimOf(actor) }));
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

interface EvidenceOptions extends NameOptions {
  readonly reason: string;
  readonly out: string;
  readonly at?: string;
  readonly actor?: string;
}

/** A pack projects up to 200 earlier orders and proves each of its events. */
const MAKING_MS = 120_000;
/** The file contains a consumer's personal data. */
const OWNER_ALONE = 0o600;

/** Values that the recipient must receive separately: a forged pack contains its own key and program. */
const toCompare = (pack: Uint8Array): { readonly publicKey: string; readonly verifierSha256: string } => {
  const file = (name: string): Buffer => Buffer.from(fileInPack(pack, name) ?? []);
  return { publicKey: file('log-key.txt').toString().trim(), verifierSha256: hash('sha256', file('verify.py'), 'hex') };
};

const openNew = (path: string): number => {
  try {
    return openSync(path, 'wx', OWNER_ALONE);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      code === 'EEXIST' ? `${path} already exists. Choose another file` : `${path} cannot be written (${code})`,
      EXIT.usage,
    );
  }
};

const evidence = async (order: string, options: EvidenceOptions, output: Output): Promise<void> => {
  const { out, at, reason, merchant, actor } = options;
  const port = OperatorPort.of();
  const path = `${orderPath(order)}/evidence`;
  const file = openNew(out);
  try {
    const question = { reason, at, merchant, by: nameKindOf(options), ...claimOf(actor) };
    const { bytes: pack } = await port.askOnRecord(path, question, MAKING_MS);
    writeFileSync(file, pack);
    const { publicKey, verifierSha256 } = toCompare(pack);
    writeResult(output, { file: out, bytes: pack.length, publicKey, verifierSha256 }, () => [
      `${out}: ${pack.length} bytes, with those personal data of the consumer that are not erased`,
      'The recipient checks it with verify.py and compares these two values, which you send another way:',
      `  key                   ${publicKey}`,
      `  SHA-256 of verify.py  ${verifierSha256}`,
    ]);
  } catch (error) {
    unlinkSync(out);
    throw error;
  } finally {
    closeSync(file);
  }
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

  orderCommand(program, 'evidence')
    .description(
      'write the evidence pack of an order for a dispute: events with proofs, consumer data, earlier orders; it can be verified offline',
    )
    .requiredOption('-o, --out <file>', 'the zip file to write; an existing file is never replaced')
    .requiredOption(...REASON)
    .option('--at <time>', 'leave out later records, such as 2026-11-24T08:30:00Z (default: the newest dispute, else the newest event)')
    .option(...ACTOR)
    .action((order: string, options: EvidenceOptions) => evidence(order, options, output()));

  audit
    .command('configuration')
    .description('show the configuration at a moment: rules, gate settings, ids of keys; this query is recorded')
    .option('--at <time>', 'a time with Z or an offset, such as 2026-11-24T08:30:00Z (default: now)')
    .action((options: ConfigurationOptions, command: Command) =>
      showConfiguration({ ...options, ...command.optsWithGlobals<ConfigurationOptions>() }, output()),
    );
};
