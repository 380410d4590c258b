import { COUNTRIES, alpha3Of } from '@app/kernel';
import * as fields from '../../shared/validation/field-rules';
import { LIST_LENGTH_MAX } from '../device-limits';

/** What is wrong: `must be ...`. Undefined if valid. */
export type MemberRule = (value: unknown) => string | undefined;

const ALPHA_3: ReadonlySet<string> = new Set([...COUNTRIES].map(alpha3Of).filter((code) => code !== undefined));
const CONTROL_CHARACTER = /\p{Cc}/u;
const SERVER_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [A-Za-z0-9+:-]{1,6}$/;

const onText =
  (rule: fields.FieldRule): MemberRule =>
  (value) => {
    if (typeof value !== 'string') return 'must be text';
    if (!fields.isWellFormed(value)) return 'must be well-formed Unicode';
    return rule(value) ?? (value.includes('\0') ? 'must not hold NUL' : undefined);
  };

const isWithin = (value: string, min: number, max: number): boolean => {
  if (value.length < min || value.length > 2 * max) return false;
  if (value.length >= 2 * min && value.length <= max) return true;
  let characters = 0;
  for (const _character of value) characters++;
  return characters >= min && characters <= max;
};

const lengthSaid = (min: number, max: number): string =>
  min === max ? `must be ${max} characters` : `must be ${min} to ${max} characters`;

const lengthRule =
  (min: number, max: number): fields.FieldRule =>
  (value) =>
    fields.must(isWithin(value, min, max), lengthSaid(min, max));

export const textOf = (min: number, max: number): MemberRule => onText(lengthRule(min, max));

/** For texts covered by an HMAC: a SHA-1 collision needs bytes that these values cannot contain (safety, T4). */
export const signedTextOf = (min: number, max: number): MemberRule =>
  onText((value) => lengthRule(min, max)(value) ?? fields.must(!CONTROL_CHARACTER.test(value), 'must not hold control characters'));

/** A URL path segment (safety, T18). */
export const segmentOf = (max: number): MemberRule => {
  const signed = signedTextOf(1, max);
  return (value) => signed(value) ?? fields.must(value !== '.' && value !== '..', 'must not be . or ..');
};

export const textsOf =
  (min: number, max: number): MemberRule =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > LIST_LENGTH_MAX) return `must hold at most ${LIST_LENGTH_MAX} entries`;
    const rule = textOf(min, max);
    return fields.must(
      value.every((entry) => rule(entry) === undefined),
      `must hold texts of ${min} to ${max} characters`,
    );
  };

export const wholeNumber =
  (min: number, max: number): MemberRule =>
  (value) =>
    fields.must(
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
      `must be an integer from ${min} to ${max}`,
    );

export const realNumber =
  (min: number, max: number): MemberRule =>
  (value) =>
    fields.must(typeof value === 'number' && value >= min && value <= max, `must be a number from ${min} to ${max}`);

export const currency: MemberRule = onText(fields.currency);
export const country: MemberRule = onText((value) => fields.must(ALPHA_3.has(value), 'must be an ISO 3166 alpha-3 code in upper case'));
export const cardNumber: MemberRule = onText(fields.cardNumber);
export const securityCode: MemberRule = onText(fields.cvv2);
export const digitsOf = (count: number): MemberRule => {
  const pattern = new RegExp(`^\\d{${count}}$`);
  const onDigits = onText((value) => fields.must(pattern.test(value), `must be ${count} digits`));
  const onInteger = wholeNumber(10 ** (count - 1), 10 ** count - 1);
  return (value) => (typeof value !== 'number' ? onDigits(value) : fields.must(onInteger(value) === undefined, `must be ${count} digits`));
};
export const oneOf = (values: readonly string[]): MemberRule => onText(fields.oneOf(values));

export const birthDay: MemberRule = onText((value) =>
  fields.must(
    /^\d{8}$/.test(value) && fields.calendarDay(value.slice(4) + value.slice(2, 4) + value.slice(0, 2)) === undefined,
    'must be a day as ddMMyyyy',
  ),
);

export const webAddress = (max: number): MemberRule => onText((value) => lengthRule(1, max)(value) ?? fields.webAddress(value));

/** In the format of Group A (protocol decisions, sections 2 and 8). */
export const serverTime: MemberRule = onText((value) => fields.must(SERVER_TIME.test(value), 'must be a time as YYYY-MM-DD HH:mm:ss ZZZ'));

export const object: MemberRule = (value) =>
  fields.must(typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object');

export const objects =
  (min: number): MemberRule =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < min || value.length > LIST_LENGTH_MAX) return `must hold ${min} to ${LIST_LENGTH_MAX} entries`;
    return fields.must(
      value.every((entry) => object(entry) === undefined),
      'must hold objects',
    );
  };
