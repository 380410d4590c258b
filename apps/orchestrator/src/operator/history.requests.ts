import { Transform } from 'class-transformer';
import { IsInt, Length, Matches, Max, Min, registerDecorator } from 'class-validator';
import { parseTime, parseVersion, type Moment } from '@app/investigation';
import type { Instant } from '@app/kernel';
import { NotRecorded } from './read-action';
import { IsLogin, optional } from './operator.requests';

const FIELD_LENGTH_MAX = 128;
export const STREAM = /^[A-Za-z][A-Za-z0-9]{0,63}-[a-z2-7]{52}$/;
const LIMIT_MAX = 200;
const TIME_FORM = 'a time with Z or an offset, such as 2026-05-03T12:00Z';

const Readable =
  (form: string, accepts: (text: string) => boolean): PropertyDecorator =>
  (target, property) =>
    registerDecorator({
      name: 'isReadable',
      target: target.constructor,
      propertyName: String(property),
      options: { message: `${String(property)} must be ${form}`, context: { sent: { type: 'string' } } },
      validator: { validate: (value: unknown) => typeof value === 'string' && accepts(value) },
    });

const isTime = (text: string): boolean => parseTime(text) !== undefined;
const Time = (): PropertyDecorator => Readable(TIME_FORM, isTime);
const VersionOrTime = (): PropertyDecorator =>
  Readable(`a revision, such as 3, or ${TIME_FORM}`, (text) => parseVersion(text) !== undefined || isTime(text));

/** Which moment of an order is asked about; now where none of them is given, and never two. */
export class MomentQuery {
  /** The state after this event, counted from 0. */
  @optional(Readable('a revision, such as 3', (text) => parseVersion(text) !== undefined))
  readonly atVersion?: string;

  /** The data recorded up to this time. */
  @optional(Time())
  readonly knownAt?: string;

  /** The state at this time by the gates’ clocks. */
  @optional(Time())
  readonly trueAt?: string;
}

export class DiffQuery {
  @VersionOrTime()
  readonly from!: string;

  @VersionOrTime()
  readonly to!: string;

  /** `true`: times are by the gates’ clocks. */
  @optional(Matches(/^(true|false)$/, { message: 'true must be true or false' }))
  readonly true?: string;
}

export class WhyQuery extends MomentQuery {
  /** Its path in the state, such as `status`, `card.bin` or `followUps[0].status`. */
  @Length(1, FIELD_LENGTH_MAX, { message: `field must have 1 to ${FIELD_LENGTH_MAX} characters` })
  readonly field!: string;
}

export class UnknownQuery {
  @Time()
  readonly knownAt!: string;

  @optional(IsLogin())
  readonly merchant?: string;

  /** The `next` of the previous page. */
  @optional(NotRecorded(), Matches(STREAM, { message: 'after must be the next of the previous page' }))
  readonly after?: string;

  @optional(
    Transform(({ value }: { readonly value: unknown }) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value)),
    IsInt({ message: `limit must be a whole number from 1 to ${LIMIT_MAX}` }),
    Min(1, { message: `limit must be a whole number from 1 to ${LIMIT_MAX}` }),
    Max(LIMIT_MAX, { message: `limit must be a whole number from 1 to ${LIMIT_MAX}` }),
  )
  readonly limit: number = 100;
}

export const namesTwo = ({ atVersion, knownAt, trueAt }: MomentQuery): boolean =>
  [atVersion, knownAt, trueAt].filter((text) => text !== undefined).length > 1;

export const momentOf = ({ atVersion, knownAt, trueAt }: MomentQuery): Moment | undefined => {
  if (atVersion !== undefined) return { kind: 'version', version: parseVersion(atVersion) ?? 0n };
  if (knownAt !== undefined) return { kind: 'known-at', at: timeOf(knownAt) };
  return trueAt === undefined ? undefined : { kind: 'true-at', at: timeOf(trueAt) };
};

export const versionOrTime = (text: string, by: 'known-at' | 'true-at'): Moment => {
  const version = parseVersion(text);
  return version === undefined ? { kind: by, at: timeOf(text) } : { kind: 'version', version };
};

/** @throws Error for a text that was not validated */
export const timeOf = (text: string): Instant => {
  const at = parseTime(text);
  if (at === undefined) throw new Error('a time that was not validated');
  return at;
};
