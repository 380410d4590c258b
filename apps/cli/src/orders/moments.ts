import { Option, type Command } from 'commander';
import type { Instant } from '@app/kernel';
import {
  type Moment,
  parseTime,
  parseVersion,
  type EventJson,
  type FieldChange,
  type FieldValue,
  datedEvents,
  eventsAsOf,
  orderHistory,
  type DatedEvent,
} from '@app/investigation';
import { UndecodableEvent, type StreamName } from '@app/event-store';
import { CommandFailed, EXIT, type Paint, printable } from '../terminal';
import type { EventLogReader } from '../stores';

export const isoText = (at: Instant): string => new Date(at).toISOString();

/** For people: `2026-01-31 23:59:59.123Z`, from ISO 8601 in UTC. */
export const shownTime = (iso: string): string => iso.replace('T', ' ');

export const instantText = (at: Instant): string => shownTime(isoText(at));

const WORDS = { 'known-at': 'recorded state at', 'true-at': 'state by the gates’ clocks at' } as const;

export const momentText = (moment: Moment): string =>
  moment.kind === 'version' ? `state after revision ${moment.version}` : `${WORDS[moment.kind]} ${instantText(moment.at)}`;

export interface MomentOptions {
  readonly atVersion?: string;
  readonly knownAt?: string;
  readonly trueAt?: string;
}

const TIME_EXAMPLE = '2026-05-03T12:00Z or 2026-05-03T14:00:30+02:00';

const timeOf = (option: string, text: string) => {
  const at = parseTime(text);
  if (at === undefined) throw new CommandFailed(`${option} must be a time with Z or an offset, such as ${TIME_EXAMPLE}`, EXIT.usage);
  return at;
};

const versionOf = (option: string, text: string): bigint => {
  const version = parseVersion(text);
  if (version === undefined)
    throw new CommandFailed(`${option} must be a revision: the number of an event of the order, counted from 0`, EXIT.usage);
  return version;
};

export const addMomentOptions = (command: Command): Command =>
  command
    .addOption(new Option('--at-version <revision>', 'the state after this event, counted from 0').conflicts(['knownAt', 'trueAt']))
    .addOption(new Option('--known-at <time>', 'the state as it was recorded at this time').conflicts(['atVersion', 'trueAt']))
    .addOption(
      new Option('--true-at <time>', 'the state at this time by the gates’ clocks, even if it was recorded later').conflicts([
        'atVersion',
        'knownAt',
      ]),
    );

/** The named moment, or undefined. @throws CommandFailed for a text that is no time or no version */
export const momentOf = ({ atVersion, knownAt, trueAt }: MomentOptions): Moment | undefined => {
  if (atVersion !== undefined) return { kind: 'version', version: versionOf('--at-version', atVersion) };
  if (knownAt !== undefined) return { kind: 'known-at', at: timeOf('--known-at', knownAt) };
  return trueAt === undefined ? undefined : { kind: 'true-at', at: timeOf('--true-at', trueAt) };
};

/** The same as query parameters of the operator port. @throws CommandFailed */
export const momentQuestion = (options: MomentOptions): Readonly<Record<keyof MomentOptions, string | undefined>> => {
  momentOf(options);
  const { atVersion, knownAt, trueAt } = options;
  return { atVersion, knownAt, trueAt };
};

export const versionOrTime = (option: string, text: string, by: 'known-at' | 'true-at'): Moment => {
  const version = parseVersion(text);
  if (version !== undefined) return { kind: 'version', version };
  const at = parseTime(text);
  if (at !== undefined) return { kind: by, at };
  throw new CommandFailed(`${option} must be a revision, such as 3, or a time with Z or an offset, such as ${TIME_EXAMPLE}`, EXIT.usage);
};

export const knownTimeOf = (text: string): Extract<Moment, { readonly kind: 'known-at' }> => ({
  kind: 'known-at',
  at: timeOf('--known-at', text),
});

export const valueText = (value: FieldValue): string => (value === null ? '-' : printable(String(value)));

export const eventLine = ({ type, revision, knownAt, trueAt, actor, claimedActor }: EventJson, paint: Paint): string => {
  const by = claimedActor === undefined ? printable(actor) : `${printable(actor)} for ${printable(claimedActor)}`;
  const atGate = trueAt === knownAt ? '' : `, so since ${shownTime(trueAt)} by the gate’s clock`;
  return `${paint('strong', type)} (revision ${revision}) at ${shownTime(knownAt)} by our clock${atGate}, by ${by}`;
};

export const changeLine = ({ field, before, after }: FieldChange, paint: Paint, width = 0): string =>
  `${field.padEnd(width)}  ${paint('faint', valueText(before))} → ${paint('strong', valueText(after))}`;

export const widthOf = (changes: readonly FieldChange[]): number => Math.max(0, ...changes.map(({ field }) => field.length));

export const readHistory = async (log: EventLogReader, stream: StreamName): Promise<readonly DatedEvent[]> => {
  try {
    return datedEvents(await orderHistory(log, stream));
  } catch (error) {
    if (error instanceof UndecodableEvent) throw new CommandFailed(`the past of the order cannot be determined: ${error.message}`);
    throw error;
  }
};

/** Events that count at a moment. @throws CommandFailed if the order did not exist yet or has no such version */
export const countedAt = (history: readonly DatedEvent[], moment: Moment | undefined): readonly DatedEvent[] => {
  if (moment === undefined) return history;
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) throw new CommandFailed('the order has no events', EXIT.notFound);
  if (moment.kind === 'version' && moment.version > last.logEvent.revision) {
    throw new CommandFailed(`the order has no revision ${moment.version}: its last is ${last.logEvent.revision}`, EXIT.notFound);
  }
  const counted = eventsAsOf(history, moment);
  if (counted.length > 0) return counted;
  throw new CommandFailed(`the order did not exist yet: it was accepted at ${isoText(first.knownAt)}`, EXIT.notFound);
};
