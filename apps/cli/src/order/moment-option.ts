import { Option, type Command } from 'commander';
import { parseTime, parseVersion, type Moment } from '@app/investigation';
import { CommandFailed, EXIT } from '../command-failed';

/** The options of a verb that name one moment; at most one of them is given. */
export interface MomentOptions {
  readonly atVersion?: string;
  readonly knownAt?: string;
  readonly trueAt?: string;
}

const TIME_EXAMPLE = '2026-05-03T12:00Z or 2026-05-03T14:00:30+02:00';

const timeOf = (option: string, text: string) => {
  const at = parseTime(text);
  if (at === undefined) throw new CommandFailed(`${option} is a time with Z or an offset, such as ${TIME_EXAMPLE}`, EXIT.usage);
  return at;
};

const versionOf = (option: string, text: string): bigint => {
  const version = parseVersion(text);
  if (version === undefined)
    throw new CommandFailed(`${option} is a revision: the number of one of the order's events, the first of which is 0`, EXIT.usage);
  return version;
};

export const addMomentOptions = (command: Command): Command =>
  command
    .addOption(new Option('--at-version <revision>', 'as of this event, counted from 0').conflicts(['knownAt', 'trueAt']))
    .addOption(new Option('--known-at <time>', 'what was on record at this time').conflicts(['atVersion', 'trueAt']))
    .addOption(
      new Option('--true-at <time>', 'what was so at this time by the gates’ own clocks, also where it was recorded later').conflicts([
        'atVersion',
        'knownAt',
      ]),
    );

/** The one moment that is named; undefined where none is. @throws CommandFailed for a text that is no time or no version */
export const momentOf = ({ atVersion, knownAt, trueAt }: MomentOptions): Moment | undefined => {
  if (atVersion !== undefined) return { kind: 'version', version: versionOf('--at-version', atVersion) };
  if (knownAt !== undefined) return { kind: 'known-at', at: timeOf('--known-at', knownAt) };
  return trueAt === undefined ? undefined : { kind: 'true-at', at: timeOf('--true-at', trueAt) };
};

/** The same as the operator port takes it. @throws CommandFailed */
export const momentQuestion = (options: MomentOptions): Readonly<Record<keyof MomentOptions, string | undefined>> => {
  momentOf(options);
  const { atVersion, knownAt, trueAt } = options;
  return { atVersion, knownAt, trueAt };
};

/** The moment of an option that takes a version or a time. @throws CommandFailed */
export const versionOrTime = (option: string, text: string, by: 'known-at' | 'true-at'): Moment => {
  const version = parseVersion(text);
  if (version !== undefined) return { kind: 'version', version };
  const at = parseTime(text);
  if (at !== undefined) return { kind: by, at };
  throw new CommandFailed(`${option} is a revision, such as 3, or a time with Z or an offset, such as ${TIME_EXAMPLE}`, EXIT.usage);
};

/** @throws CommandFailed */
export const knownTimeOf = (text: string): Extract<Moment, { readonly kind: 'known-at' }> => ({
  kind: 'known-at',
  at: timeOf('--known-at', text),
});
