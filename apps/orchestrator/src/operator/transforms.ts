import { Transform } from 'class-transformer';
import { IsInt } from 'class-validator';
import { parseTime } from '@app/investigation';
import { parseAmount } from '@app/kernel';

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/** A text that is none is left as it is, for the rules of the member to refuse it. */
const textTransform = (convert: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (convert(value) ?? value) : value));

/** As `textTransform`; what is no text is refused too: a number of JSON would be taken for what the text stands for, in another unit. */
const onlyTextTransform = (convert: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (convert(value) ?? value) : null));

export const AsWholeNumber = (): PropertyDecorator => textTransform((text) => (WHOLE_NUMBER.test(text) ? Number(text) : undefined));

/** Minor units, which are far below the largest whole number that is exact. */
export const AsMinorUnits = (): PropertyDecorator =>
  onlyTextTransform((text) => {
    const minor = parseAmount(text);
    return minor === undefined ? undefined : Number(minor);
  });

/** The one form of a time that is asked for, in milliseconds since the epoch. `sent` is for the OpenAPI document, as is any other: the value before its transform. */
export const AsInstant =
  (name: string): PropertyDecorator =>
  (target, property) => {
    onlyTextTransform(parseTime)(target, property);
    IsInt({
      message: `${name} must be a time with Z or an offset, such as 2026-11-24T08:30:00Z`,
      context: { sent: { type: 'string', format: 'date-time', description: 'With Z or an offset.' } },
    })(target, property);
  };
