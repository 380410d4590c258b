import type { OrderFilters } from '../screens/orders.search';

const DAY = /(?<![\w.-])(?:(\d{4})-(\d{2})-(\d{2})|(\d{1,2})\.(\d{1,2})\.(\d{4}))(?![\w-]|\.\d)/;
/** A number with cents, or a whole one next to its currency. */
const AMOUNT =
  /(?<![\w.,*•-])(?:(?<before>[A-Z]{3}|€) ?)?(?<whole>\d{1,10})(?:[.,](?<cents>\d{1,2}))?(?: ?(?<after>[A-Z]{3}|€))?(?![\w*•-]|[.,]\d)/gi;
const LAST_FOUR = /(?<![\w.,-])(?:\d{0,6}[*x•.]+ ?)?(\d{4})(?![\w-]|[.,]\d)/i;

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A word that is no currency, such as `the`, is part of the text only. */
const currencyOf = (...words: readonly (string | undefined)[]): string | undefined =>
  words.map((word) => (word === '€' ? 'EUR' : word?.toUpperCase())).find((word) => word !== undefined && currencies.has(word));

const dayIn = (text: string): readonly [found: string, day: string] | undefined => {
  const [found, year, month, day, ofDotted = '', monthOfDotted = '', yearOfDotted] = DAY.exec(text) ?? [];
  if (found === undefined) return undefined;
  const iso = `${year ?? yearOfDotted}-${month ?? monthOfDotted.padStart(2, '0')}-${day ?? ofDotted.padStart(2, '0')}`;
  const isDay = !Number.isNaN(Date.parse(iso)) && new Date(iso).toISOString().startsWith(iso);
  return isDay ? [found, iso] : undefined;
};

/** Amount, day and last four digits of a card in a text such as `67.90 EUR 2026-11-22 2822`, as filters of the orders. */
export const noticeIn = (text: string): OrderFilters => {
  const [dayText, on] = dayIn(text) ?? [];
  let rest = dayText === undefined ? text : text.replace(dayText, ' ; ');
  let amount: OrderFilters = {};
  for (const { 0: found, groups: { before, whole = '', cents, after } = {} } of rest.matchAll(AMOUNT)) {
    const currency = currencyOf(before, after);
    if (cents === undefined && currency === undefined) continue;
    const sum = cents === undefined ? whole : `${whole}.${cents}`;
    amount = { amountFrom: sum, amountTo: sum, currency };
    rest = rest.replace(found, ' ; ');
    break;
  }
  return { ...amount, on, lastFour: LAST_FOUR.exec(rest)?.[1] };
};

/** True if the text describes a payment, and so is no identifier. */
export const isNotice = ({ amountFrom, on, lastFour }: OrderFilters): boolean =>
  [amountFrom, on, lastFour].filter((part) => part !== undefined).length > 1;
