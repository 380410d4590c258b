import fc from 'fast-check';
import type { JsonSchema } from '@app/gateway-protocol';
import { TEST_CARD_NUMBER } from '../merchants/signed-requests';
import type { GroupARoute } from '../merchants/group-a-routes';
import type { Dice } from './dice';

export interface Known {
  readonly login: string;
  readonly orders: readonly { readonly clientOrderId: string; readonly orderId: string; readonly serial: string }[];
  readonly cardRefIds: readonly string[];
  readonly callbackUrl: string;
}

const OPTIONAL_SHARE = 0.3;
const SAMPLES = 50;
const WORDS = ['Main', 'Street', 'ann', 'LEE', '12', 'O’Neill', 'Łódź', '東京', '-', 'a+b', '100 %', '\u{1f45f}'];
const CARD_NUMBERS = [TEST_CARD_NUMBER, '4111111111111111', '5555555555554444', '378282246310005'];
const CVVS = ['123', '123', '1234', '321', '111', '217', '218', '101', '116', '119', '209', '999'];

const samples = new Map<string, readonly string[]>();

const samplesOf = (pattern: string): readonly string[] => {
  const known = samples.get(pattern);
  if (known !== undefined) return known;
  const made = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: SAMPLES, seed: 1 });
  samples.set(pattern, made);
  return made;
};

const words = (dice: Dice, max: number): string =>
  Array.from({ length: 1 + dice.below(4) }, () => dice.pick(WORDS))
    .reduce((text, word) => (text.length + word.length < max ? `${text} ${word}` : text), 'a')
    .slice(0, max);

const bySchema = (dice: Dice, { enum: values, format, pattern, maxLength = 64 }: JsonSchema, known: Known): string => {
  if (values !== undefined) return String(dice.pick(values));
  if (format === 'email') return `${dice.pick(['ann', 'a.b', 'x+y'])}@example.com`;
  if (format === 'uri') return known.callbackUrl;
  if (pattern !== undefined && !pattern.includes('\\P')) return dice.pick(samplesOf(pattern));
  return words(dice, Math.min(maxLength, 64));
};

type MakeValue = (dice: Dice, known: Known, number: number) => string;

/** Fields whose rule is not enough: a matching text would be refused or would name no record. */
const BY_NAME: Readonly<Record<string, MakeValue>> = {
  login: (_dice, { login }) => login,
  cardrefid: (dice, { cardRefIds }) => dice.pick(cardRefIds),
  currency: () => 'USD',
  credit_card_number: (dice) => dice.pick(CARD_NUMBERS),
  cvv2: (dice) => dice.pick(CVVS),
  expire_year: () => '2039',
  ipaddress: (dice) => dice.pick(['203.0.113.7', '2001:db8::1', '::ffff:203.0.113.7']),
  country: (dice) => dice.pick(['US', 'DE', 'CA']),
  state: (dice) => dice.pick(['CA', 'NY']),
  birthday: () => '19700131',
};

export const wellFormedFields = (
  dice: Dice,
  { name, fields, required }: GroupARoute,
  known: Known,
  number: number,
): Map<string, string> => {
  const order = dice.pick(known.orders);
  // Requests about an order use an existing id. The others use a new one, and sometimes repeat one.
  const isOfOrder = 'orderid' in fields;
  const values = new Map<string, string>();
  for (const [field, schema] of Object.entries(fields)) {
    if (field === 'control') continue;
    if (!required.has(field) && field !== 'state' && !dice.chance(OPTIONAL_SHARE)) continue;
    if (field === 'client_orderid') values.set(field, isOfOrder ? order.clientOrderId : `${name}-${number - dice.below(2)}`);
    else if (field === 'orderid') values.set(field, order.orderId);
    else if (field === 'amount' && isOfOrder) values.set(field, dice.pick(['0.01', '1', '1000']));
    else if (field === 'by-request-sn') values.set(field, order.serial);
    else values.set(field, BY_NAME[field]?.(dice, known, number) ?? bySchema(dice, schema, known));
  }
  if (isOfOrder && values.has('amount') !== values.has('currency')) {
    values.delete('amount');
    values.delete('currency');
  }
  return values;
};
