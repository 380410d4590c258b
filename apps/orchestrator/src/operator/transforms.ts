import { Transform } from 'class-transformer';
import { IsInt } from 'class-validator';
import { parseTime } from '@app/investigation';
import { parseAmount } from '@app/kernel';

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/** Leaves an invalid text unchanged, so that the member's rules refuse it. */
const textTransform = (convert: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (convert(value) ?? value) : value));

/** Refuses JSON numbers, which could be taken for another unit. */
const onlyTextTransform = (convert: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (convert(value) ?? value) : null));

export const AsWholeNumber = (): PropertyDecorator => textTransform((text) => (WHOLE_NUMBER.test(text) ? Number(text) : undefined));

/** Minor units are far below the largest exact integer. */
export const AsMinorUnits = (): PropertyDecorator =>
  onlyTextTransform((text) => {
    const minor = parseAmount(text);
    return minor === undefined ? undefined : Number(minor);
  });

/** Milliseconds since the epoch. `sent` gives the OpenAPI document the form before the transform. */
export const AsInstant =
  (name: string): PropertyDecorator =>
  (target, property) => {
    onlyTextTransform(parseTime)(target, property);
    IsInt({
      message: `${name} must be a time with Z or an offset, such as 2026-11-24T08:30:00Z`,
      context: { sent: { type: 'string', format: 'date-time', description: 'With Z or an offset.' } },
    })(target, property);
  };
