import { alpha3Of, CARD_BRANDS, present, WEEKDAYS, type NonEmpty } from '@app/kernel';
import type { z } from 'zod';
import { country, currency, gateAlias } from '../gates/gate.schema';
import { amount, flag, listOf, mapping, namesOf, oneOf, shaped, wholeNumberIn } from '../reading/scalars';
import { CASCADE_GATES_MAX, DEFAULT_RULE, type RoutingChoice, type RoutingRule } from './accounts';

const RULE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const BIN_RANGE = /^(\d{6})(?:-(\d{6}))?$/;
const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

const RULES_MAX = 100;
const BIN_RANGES_MAX = 1_000;
const COUNTRIES_MAX = 250;
const CURRENCIES_MAX = 200;
const WEIGHT_MAX = 10_000;

const isBinRange = (text: string): boolean => {
  const [, first, last] = BIN_RANGE.exec(text) ?? [];
  return first !== undefined && (last === undefined || first <= last);
};

const conditions = () =>
  mapping({
    bins: namesOf(shaped('six digits in quotes, or a range such as "400000-499999"', isBinRange), {
      least: 1,
      most: BIN_RANGES_MAX,
    }).optional(),
    countries: namesOf(
      country().transform((text) => alpha3Of(text) ?? text),
      { least: 1, most: COUNTRIES_MAX },
    ).optional(),
    brands: namesOf(oneOf(CARD_BRANDS), { least: 1, most: CARD_BRANDS.length }).optional(),
    currencies: namesOf(currency(), { least: 1, most: CURRENCIES_MAX }).optional(),
    amountFrom: amount().optional(),
    amountTo: amount().optional(),
    from: time().optional(),
    to: time().optional(),
    days: namesOf(oneOf(WEEKDAYS), { least: 1, most: WEEKDAYS.length }).optional(),
  })
    .refine(({ amountFrom = 0n, amountTo }) => amountTo === undefined || amountFrom <= amountTo, {
      error: 'must not be less than amountFrom',
      path: ['amountTo'],
    })
    .refine(({ from, to }) => from === undefined || from !== to, { error: 'must not be the same as from', path: ['to'] })
    .transform(({ amountFrom, amountTo, ...others }) => present({ ...others, amountFromMinor: amountFrom, amountToMinor: amountTo }));

const time = () => shaped('a time of day in UTC and in quotes, such as "08:30"', (text) => TIME.test(text));

const gates = () => namesOf(gateAlias(), { least: 1, most: CASCADE_GATES_MAX });
const share = () => mapping({ gate: gateAlias(), weight: wholeNumberIn(1, WEIGHT_MAX) });

const choice = () =>
  mapping({
    cascade: gates().optional(),
    split: listOf(share(), { least: 1, most: CASCADE_GATES_MAX })
      .superRefine((shares, context) => {
        shares.forEach(({ gate }, index) => {
          if (shares.findIndex((one) => one.gate === gate) < index)
            context.addIssue({ code: 'custom', path: [index, 'gate'], message: 'occurs twice in this list' });
        });
      })
      .optional(),
    leastCommission: gates().optional(),
  }).refine((written) => Object.values(written).filter((one) => one !== undefined).length === 1, {
    error: 'must have one of cascade, split and leastCommission',
  });

const nonEmpty = <Item>(items: readonly Item[]): NonEmpty<Item> => items as NonEmpty<Item>; // the schema refuses an empty list

type WrittenChoice = z.output<ReturnType<typeof choice>>;

const choiceOf = ({ cascade, split, leastCommission }: WrittenChoice, stickyByCustomer: boolean): RoutingChoice => {
  if (split !== undefined) return { kind: 'split', shares: nonEmpty(split), stickyByCustomer };
  return cascade === undefined
    ? { kind: 'least-commission', gates: nonEmpty(leastCommission ?? []) }
    : { kind: 'cascade', gates: nonEmpty(cascade) };
};

export const routing = () =>
  listOf(
    mapping({
      name: shaped(
        `1 to 64 characters of a-z, 0-9 and -, and not "${DEFAULT_RULE}"`,
        (text) => RULE_NAME.test(text) && text !== DEFAULT_RULE,
      ),
      when: conditions().prefault({}),
      then: choice(),
      stickyByCustomer: flag().optional(),
    })
      .refine(({ then, stickyByCustomer }) => stickyByCustomer === undefined || then.split !== undefined, {
        error: 'applies only to split',
        path: ['stickyByCustomer'],
      })
      .transform(({ name, when, then, stickyByCustomer = false }): RoutingRule => ({
        name,
        when,
        choice: choiceOf(then, stickyByCustomer),
      })),
    { least: 1, most: RULES_MAX },
  );
