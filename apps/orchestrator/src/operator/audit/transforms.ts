import { parseAmount } from '@app/kernel';
import { Transform } from 'class-transformer';

/** To the millisecond at most, in UTC: `Date.parse` alone would read other forms by the machine's own zone. */
const INSTANT = /^(?:19[7-9]\d|20\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?Z$/;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/** A text that is none is left as it is, for the rules of the member to refuse it. */
const textTransform = (convert: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (convert(value) ?? value) : value));

export const AsWholeNumber = (): PropertyDecorator => textTransform((text) => (WHOLE_NUMBER.test(text) ? Number(text) : undefined));

/** Milliseconds since the epoch. The day must exist: `Date` would take 31 June for 1 July. */
export const AsInstant = (): PropertyDecorator =>
  textTransform((text) => {
    if (!INSTANT.test(text)) return undefined;
    const at = Date.parse(text);
    return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text.slice(0, 10) ? undefined : at;
  });

/** Minor units, which are far below the largest whole number that is exact. */
export const AsMinorUnits = (): PropertyDecorator =>
  textTransform((text) => {
    const minor = parseAmount(text);
    return minor === undefined ? undefined : Number(minor);
  });
