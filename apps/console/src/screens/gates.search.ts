import { flagOf, textOf, wordOf, type RawSearch } from '../app/search';

export const OPERATIONS = ['sale', 'preauth', 'account-verification', 'transfer'] as const;

export interface GatesSearch {
  /** Absent: `gates`. */
  readonly tab?: 'routing' | undefined;
  /** The gate whose calls are shown. Absent: the one to look at first. */
  readonly gate?: string | undefined;
  /** The order whose route is explained. The customer is never part of an address. */
  readonly endpoint?: string | undefined;
  readonly amount?: string | undefined;
  readonly operation?: (typeof OPERATIONS)[number] | undefined;
  readonly currency?: string | undefined;
  readonly bin?: string | undefined;
  readonly country?: string | undefined;
  /** UTC, `YYYY-MM-DDThh:mm`. */
  readonly at?: string | undefined;
  /** Whether all rules of the entry point are shown. */
  readonly rules?: true | undefined;
}

const matching = (value: unknown, pattern: RegExp): string | undefined => {
  const text = textOf(value);
  return text !== undefined && pattern.test(text) ? text : undefined;
};

/** A time of a `datetime-local` field, read as UTC. */
export const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

export const gatesSearch = (search: RawSearch): GatesSearch => ({
  tab: wordOf(['routing'], search['tab']),
  gate: textOf(search['gate']),
  endpoint: matching(search['endpoint'], /^\d{1,20}$/),
  amount: matching(search['amount'], /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/),
  operation: wordOf(OPERATIONS, search['operation']),
  currency: matching(search['currency'], /^[A-Z]{3}$/),
  // Never more than six digits of a card.
  bin: matching(search['bin'], /^\d{6}$/),
  country: matching(search['country'], /^[A-Z]{3}$/),
  at: matching(search['at'], MINUTE),
  rules: flagOf(search['rules']),
});
