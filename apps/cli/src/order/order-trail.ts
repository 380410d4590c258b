import { leavesOf, type AuditFormat, type TrailEntry } from '@app/investigation';
import { packageRoot, readEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askForText, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';
import { nameKindOf, type NameOptions } from './one-order';
import { leftOutOf } from '../audit/left-out';
import { orderPath } from './order-path';

export interface TrailOptions extends NameOptions {
  readonly format?: AuditFormat;
  readonly reveal?: true;
  readonly reason?: string;
  readonly actor?: string;
}

export interface Trail {
  readonly orderId: string;
  readonly merchant: string;
  readonly trail: readonly TrailEntry[];
}

const LAST_BREAK = /\n$/;
const INDENT = ' '.repeat(5);

/** An entry for people: its head, and each member of its data on a line of its own, complete. */
export const trailLines = (entry: TrailEntry, { paint }: Pick<Output, 'paint'>): readonly string[] => {
  const who = entry.claimedActor === null ? entry.actor : `${entry.actor} for ${entry.claimedActor}`;
  const cause = entry.causedBy === null ? '' : `  after ${entry.causedBy}`;
  const data = [...(entry.data === null ? [] : leavesOf(entry.data))].filter(([, value]) => value !== null);
  const width = Math.max(0, ...data.map(([name]) => name.length));
  return [
    `${String(entry.number).padStart(3)}  ${paint('faint', entry.at)}  ${entry.category}  ${paint('strong', entry.type)}  ${printable(who)}${cause}`,
    ...(entry.problem === null ? [] : [`${INDENT}${printable(entry.problem)}`]),
    ...data.map(([name, value]) => `${INDENT}${paint('faint', printable(name).padEnd(width))}  ${printable(String(value))}`),
  ];
};

const writeTrail = ({ orderId, merchant, trail }: Trail, output: Output): void => {
  if (!output.isJson) output.line(`order ${output.paint('strong', orderId)} of ${merchant}, ${trail.length} events`);
  for (const entry of trail) for (const line of output.isJson ? [asJson(entry)] : trailLines(entry, output)) output.line(line);
};

/** `orch audit <order>`: all that belongs to an order, which the running service answers and records. @throws CommandFailed */
export const orderTrail = async (order: string, options: TrailOptions, output: Output): Promise<void> => {
  const { merchant, format, reveal, reason, actor } = options;
  if (format !== undefined && output.isJson) throw new CommandFailed('--json and --format exclude each other', EXIT.usage);
  if ((reveal === true) !== (reason !== undefined)) throw new CommandFailed('--reveal needs --reason, which is put on record', EXIT.usage);
  const environment = readEnvironment(process.env, packageRoot());
  const by = nameKindOf(options);
  const asked = { ...(merchant !== undefined && { merchant }), ...(by && { by }), ...claimOf(actor), format: format ?? 'json' };
  const path = orderPath(order);
  const { text, headers } = await askForText(
    environment,
    operatorToken(process.env, environment),
    reveal === true ? `${path}/reveal` : `${path}?${new URLSearchParams(asked).toString()}`,
    reveal === true ? { ...asked, reason } : undefined,
  );
  if (format === undefined) writeTrail(JSON.parse(text) as Trail, output);
  else output.line(text.replace(LAST_BREAK, ''));
  const leftOut = leftOutOf(headers);
  if (leftOut.includes('questions'))
    output.problem('more was asked about it than what happened leaves room for: some questions are left out');
  if (leftOut.includes('events')) output.problem('there is more than a trail may hold: the rest is left out');
};
