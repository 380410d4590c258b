import type { paths } from '../../../../../docs/openapi/operator';
import { instant, type Zone } from '../../format';
import type { Chip } from '../../ui/parts';
import { FILTER_NAMES, type FilterName, type OrderFilters, type OrdersSearch } from '../orders.search';

export const GROUPS = ['Outcome', 'Merchant and gate', 'Amount', 'Time', 'Card and statement', 'Identifiers'] as const;

interface Filter {
  readonly label: string;
  readonly group: (typeof GROUPS)[number];
  readonly hint?: string;
  /** A list of values with their words. */
  readonly choices?: readonly (readonly [value: string, word: string])[];
  readonly type?: 'date' | 'time';
  readonly isNumber?: true;
  /** What a value must be, and how to say it. */
  readonly form?: readonly [pattern: RegExp, fault: string];
}

const AMOUNT: Filter['form'] = [/^\d{1,10}(\.\d{1,2})?$/, 'Write it in major units with a dot, such as 87.10.'];
const NUMBER: Filter['form'] = [/^\d{1,20}$/, 'Digits only.'];

/** Every filter of the port has a field. */
export const FILTERS: Readonly<Record<FilterName, Filter>> = {
  status: {
    label: 'Status',
    group: 'Outcome',
    choices: [
      ['approved', 'Approved'],
      ['declined', 'Declined'],
      ['chain_declined', 'Declined in chain'],
      ['unknown', 'Unknown'],
      ['processing', 'Processing'],
      ['filtered', 'Filtered'],
      ['error', 'Error'],
    ],
  },
  code: { label: 'Result code', group: 'Outcome', isNumber: true, form: [/^\d{1,6}$/, 'A number of at most six digits.'] },
  operation: {
    label: 'Operation',
    group: 'Outcome',
    choices: [
      ['sale', 'Sale'],
      ['preauth', 'Preauthorisation'],
      ['account-verification', 'Account verification'],
      ['transfer', 'Transfer'],
    ],
  },
  kind: {
    label: 'Kind',
    group: 'Outcome',
    choices: [
      ['payment', 'Payment'],
      ['recurring', 'Recurring payment'],
      ['deviceVerification', 'Device verification'],
      ['transfer', 'Transfer'],
    ],
  },
  stage: {
    label: 'Stage',
    group: 'Outcome',
    hint: 'As order-stage, such as sale_approved.',
    form: [/^[a-z0-9_]{1,64}$/, 'Small letters, digits and underscores, such as sale_approved.'],
  },
  merchant: { label: 'Merchant', group: 'Merchant and gate', form: [/^[A-Za-z][A-Za-z0-9._@-]{0,19}$/, 'The merchant’s login.'] },
  endpoint: { label: 'Entry point', group: 'Merchant and gate', isNumber: true, form: NUMBER },
  gate: { label: 'Gate', group: 'Merchant and gate', form: [/^[a-z0-9-]{1,64}$/, 'The alias of a gate, such as sim-a.'] },
  operator: { label: 'Operator who acted', group: 'Merchant and gate' },
  amountFrom: { label: 'Amount from', group: 'Amount', isNumber: true, form: AMOUNT },
  amountTo: { label: 'Amount to', group: 'Amount', isNumber: true, form: AMOUNT },
  currency: { label: 'Currency', group: 'Amount', form: [/^[A-Z]{3}$/, 'Three letters, such as EUR.'] },
  on: { label: 'Around day', group: 'Time', type: 'date', hint: 'Also finds the day before and the day after.' },
  zone: { label: 'Time zone of the day', group: 'Time', hint: 'Such as Europe/Riga. Default: UTC.' },
  createdFrom: { label: 'Created from', group: 'Time', type: 'time' },
  createdTo: { label: 'Created to', group: 'Time', type: 'time' },
  updatedFrom: { label: 'Changed from', group: 'Time', type: 'time' },
  updatedTo: { label: 'Changed to', group: 'Time', type: 'time' },
  lastFour: { label: 'Last four digits', group: 'Card and statement', isNumber: true, form: [/^\d{4}$/, 'Four digits.'] },
  cardMask: {
    label: 'First six and last four',
    group: 'Card and statement',
    hint: 'Such as 444433-1111.',
    form: [/^\d{6}-\d{4}$/, 'Six digits, a hyphen, four digits. Never a whole card number.'],
  },
  descriptor: { label: 'Text on the statement', group: 'Card and statement' },
  card: { label: 'Card id', group: 'Card and statement' },
  cardReference: { label: 'Card reference', group: 'Card and statement' },
  order: { label: 'Order', group: 'Identifiers' },
  clientOrderId: { label: 'Merchant’s order', group: 'Identifiers' },
  invoiceId: { label: 'Invoice', group: 'Identifiers' },
  correlation: { label: 'Serial number', group: 'Identifiers' },
  receipt: { label: 'Receipt', group: 'Identifiers' },
  rrn: { label: 'RRN', group: 'Identifiers' },
  reference: { label: 'Gate’s reference', group: 'Identifiers' },
  approvalCode: { label: 'Approval code', group: 'Identifiers' },
};

/** Only the filters that are set. */
export const filtersOf = (search: OrdersSearch): OrderFilters =>
  Object.fromEntries(FILTER_NAMES.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));

/** Without an amount that has no currency yet: the port refuses it. */
export const askedOf = (filters: OrderFilters): OrderFilters => {
  const { amountFrom, amountTo, ...others } = filters;
  return filters.currency !== undefined || (amountFrom ?? amountTo) === undefined ? filters : others;
};

type Query = NonNullable<paths['/audit/orders']['get']['parameters']['query']>;

/** The filters as the port takes them. A value that it does not know, typed by hand, is refused by the port in words. */
export const queryOf = ({ code, ...filters }: OrderFilters): Query =>
  ({ ...filters, ...(code !== undefined && { code: /^\d+$/.test(code) ? Number(code) : code }) }) as Query;

/** Filters that make sense only together are one chip. The first name is its key. */
const TOGETHER: readonly (readonly FilterName[])[] = [
  ['amountFrom', 'amountTo', 'currency'],
  ['createdFrom', 'createdTo'],
  ['updatedFrom', 'updatedTo'],
  ['on', 'zone'],
];

const rangeText = (from: string | undefined, to: string | undefined, [since, until]: readonly [string, string]): string => {
  if (from === undefined) return `${until} ${to}`;
  if (to === undefined) return `${since} ${from}`;
  return from === to ? from : `${from} to ${to}`;
};

const SIZES = ['at least', 'at most'] as const;
const TIMES = ['since', 'until'] as const;

/** The filters in force as chips, in the order of the form. */
export const chipsOf = (filters: OrderFilters, zone: Zone): readonly Chip[] => {
  const { amountFrom, amountTo, currency, createdFrom, createdTo, updatedFrom, updatedTo } = filters;
  const time = (iso: string | undefined): string | undefined => iso && instant(iso, zone === 'local' ? 'local' : 'utc');
  return (Object.keys(FILTERS) as FilterName[]).flatMap((name): readonly Chip[] => {
    const value = filters[name];
    const first = TOGETHER.find((names) => names.includes(name))?.find((one) => filters[one] !== undefined);
    if (value === undefined || (first !== undefined && first !== name)) return [];
    const joined = (label: string, text: string): readonly Chip[] => [{ key: name, label, value: text }];
    if (name === 'amountFrom' || name === 'amountTo')
      return joined('Amount', [rangeText(amountFrom, amountTo, SIZES), currency ?? ''].join(' ').trim());
    if (name === 'createdFrom' || name === 'createdTo') return joined('Created', rangeText(time(createdFrom), time(createdTo), TIMES));
    if (name === 'updatedFrom' || name === 'updatedTo') return joined('Changed', rangeText(time(updatedFrom), time(updatedTo), TIMES));
    if (name === 'on') return joined('Around', `${value} ${filters.zone ?? 'UTC'}`);
    const { label, choices } = FILTERS[name];
    return joined(label, choices?.find(([choice]) => choice === value)?.[1] ?? value);
  });
};

/** The filters without those of a chip. */
export const withoutChip = (filters: OrderFilters, key: string): OrderFilters => {
  const names: readonly string[] = TOGETHER.find((together) => together.some((name) => name === key)) ?? [key];
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name)));
};

const withText = (value: string | undefined): string | undefined => (value === undefined || value.trim() === '' ? undefined : value.trim());

/** What a person wrote, as filters: trimmed, the currency in capitals, a lone zone left out. */
export const writtenFilters = (written: OrderFilters): OrderFilters => {
  const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, withText(written[name])])) as OrderFilters;
  return { ...filters, currency: filters.currency?.toUpperCase(), zone: filters.on === undefined ? undefined : filters.zone };
};

/** Faults of filters, by the field to mend. The port checks again. */
export const faultsOf = (filters: OrderFilters): Readonly<Partial<Record<FilterName, string>>> => {
  const faults: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const [value, form] = [filters[name], FILTERS[name].form];
    if (value !== undefined && form !== undefined && !form[0].test(value)) faults[name] = form[1];
  }
  const { amountFrom, amountTo, currency, createdFrom, createdTo, updatedFrom, updatedTo } = filters;
  if ((amountFrom !== undefined || amountTo !== undefined) && currency === undefined) faults.currency ??= 'An amount needs its currency.';
  if (amountFrom !== undefined && amountTo !== undefined && minorOf(amountFrom) > minorOf(amountTo))
    faults.amountTo ??= 'It is less than the other end.';
  if (isAfter(createdFrom, createdTo)) faults.createdTo = 'It is before the other end.';
  if (isAfter(updatedFrom, updatedTo)) faults.updatedTo = 'It is before the other end.';
  return faults;
};

const minorOf = (amount: string): bigint => {
  const [, whole = '0', cents = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  return BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'));
};
const isAfter = (from: string | undefined, to: string | undefined): boolean =>
  from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to);

/** After the order, which is always shown. */
export const COLUMNS = {
  status: 'Status',
  amount: 'Amount',
  merchant: 'Merchant',
  clientOrderId: 'Merchant’s order',
  operation: 'Operation',
  stage: 'Stage',
  endpoint: 'Entry point',
  gate: 'Gate',
  attempts: 'Attempts',
  code: 'Code',
  card: 'Card',
  transactionId: 'Gate’s transaction',
  rrn: 'RRN',
  approvalCode: 'Approval code',
  receipt: 'Receipt',
  correlation: 'Serial number',
  cardReference: 'Card reference',
  createdAt: 'Created',
  updatedAt: 'Changed',
  finalAt: 'Final',
} as const;
export type ColumnName = keyof typeof COLUMNS;
const DEFAULT_COLUMNS: readonly ColumnName[] = ['status', 'amount', 'merchant', 'gate', 'card', 'code', 'createdAt'];

/** The shown columns in their fixed order: of the address, or of this browser, or the usual ones. Unknown names are left out. */
export const columnsOf = (ofAddress: string | undefined, ofBrowser: readonly string[] = []): readonly ColumnName[] => {
  const names = Object.keys(COLUMNS) as ColumnName[];
  const known = (wanted: readonly string[]): readonly ColumnName[] => names.filter((name) => wanted.includes(name));
  return [known(ofAddress?.split(',') ?? []), known(ofBrowser)].find(({ length }) => length > 0) ?? DEFAULT_COLUMNS;
};
