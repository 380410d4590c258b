import { textOf, wordOf, type RawSearch } from '../app/search';
import { MINUTE } from './gates.search';

export interface WhatIfSearch {
  /** Absent: the result, or the rules without a run. */
  readonly tab?: 'forecast' | 'orders' | undefined;
  /** The entry point whose rules the editor begins with. */
  readonly endpoint?: string | undefined;
  /** UTC, `YYYY-MM-DDThh:mm`. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
  readonly merchant?: string | undefined;
  /** The what-if that is shown. */
  readonly run?: string | undefined;
}

const minuteOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && MINUTE.test(text) ? text : undefined;
};

export const whatIfSearch = (search: RawSearch): WhatIfSearch => ({
  tab: wordOf(['forecast', 'orders'], search['tab']),
  endpoint: textOf(search['endpoint']),
  from: minuteOf(search['from']),
  before: minuteOf(search['before']),
  merchant: textOf(search['merchant']),
  run: textOf(search['run']),
});
