import { parseAmount } from '@app/kernel';
import { z } from 'zod';
import { EnvironmentText } from './environment-text';
import { ipRangeProblem, parseIpRange } from './ip-range';

/** A value of the file, or of the environment in its place. */
export const asText = (value: unknown): unknown => (value instanceof EnvironmentText ? value.text : value);

const NUMBER = /^-?\d{1,15}(\.\d{1,9})?$/;
const asNumber = (value: unknown): unknown =>
  value instanceof EnvironmentText && NUMBER.test(value.text) ? Number(value.text) : asText(value);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const asFlag = (value: unknown): unknown => (value instanceof EnvironmentText ? (FLAGS.get(value.text) ?? value.text) : value);

/** These messages name the expected form and never the value, which may be a secret. */
const wanted = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }): string => (input === undefined ? 'is required' : `must be ${what}`),
});

const CONTROL_CHARACTER = /\p{Cc}/u;

/** One line of text of at most `charactersMax` characters. A number without quotes is refused: YAML would have dropped its leading zeros. */
export const line = (charactersMax: number) => {
  const what = `text (in quotes where it looks like a number), 1 to ${charactersMax} characters, on one line`;
  return shaped(what, (text) => text.length > 0 && text.length <= charactersMax && !CONTROL_CHARACTER.test(text));
};

export const shaped = (what: string, accepts: (text: string) => boolean) =>
  z.preprocess(asText, z.string(wanted(what)).refine(accepts, `must be ${what}`));

/** An address, or a CIDR block without host bits: one with them would be read as another block than was meant. */
export const ipRangeText = () =>
  z.preprocess(
    asText,
    z.string(wanted('an IP address or a CIDR block, such as 192.0.2.0/24')).refine((text) => parseIpRange(text) !== undefined, {
      error: ({ input }) => ipRangeProblem(String(input)),
    }),
  );

export const flag = () => z.preprocess(asFlag, z.boolean(wanted('true or false')));

export const numberIn = (least: number, most: number) => {
  const what = `a number from ${least} to ${most}`;
  return z.preprocess(asNumber, z.number(wanted(what)).min(least, `must be ${what}`).max(most, `must be ${what}`));
};

export const wholeNumberIn = (least: number, most: number) => {
  const what = `a whole number from ${least} to ${most}`;
  return z.preprocess(
    asNumber,
    z
      .number(wanted(what))
      .refine(Number.isInteger, { error: `must be ${what}`, abort: true })
      .min(least, `must be ${what}`)
      .max(most, `must be ${what}`),
  );
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.preprocess(asText, z.enum(names, wanted(names.length === 1 ? names[0] : `one of ${names.join(', ')}`)));

/** Major units with a dot, in quotes, to minor units: money never passes through a float. */
export const amount = () => {
  const what = 'an amount in quotes, such as "100.00"';
  return shaped(what, (text) => parseAmount(text) !== undefined).transform((text) => parseAmount(text) ?? 0n);
};

interface ListLimits {
  readonly least: number;
  readonly most: number;
}

export const listOf = <Item extends z.ZodType>(item: Item, { least, most }: ListLimits) =>
  z.array(item, wanted('a list')).min(least, `must name at least ${least}`).max(most, `must name at most ${most}`);

/** A list of texts in which none stands twice. */
export const namesOf = <Item extends z.ZodType<string>>(item: Item, limits: ListLimits) =>
  listOf(item, limits).superRefine((names, context) => {
    const seen = new Set<string>();
    names.forEach((name, index) => {
      if (seen.has(name)) context.addIssue({ code: 'custom', path: [index], message: 'stands twice in this list' });
      seen.add(name);
    });
  });

/** A mapping from names of this form, which the configuration chooses, to one of these values. */
export const tableOf = <const Names extends readonly [string, ...string[]]>(
  what: string,
  accepts: (name: string) => boolean,
  names: Names,
) => z.record(z.string().refine(accepts, `must be ${what}`), oneOf(names), wanted(`a mapping from ${what} to one of ${names.join(', ')}`));

/** A mapping that holds these keys and no others: a misspelt key must not be silent. */
export const mapping = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, wanted('a mapping'));
