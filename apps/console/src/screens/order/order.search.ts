import { flagOf, listOf, numberOf, textOf, wordOf, type RawSearch } from '../../app/search';

const TABS = ['timeline', 'attempts', 'callbacks', 'disputes', 'proof', 'related'] as const;
export type Tab = (typeof TABS)[number];

export const LANES = ['order', 'gate', 'callbacks', 'card', 'operator'] as const;
export type Lane = (typeof LANES)[number];

export interface OrderSearch {
  readonly tab?: Tab | undefined;
  /** The moment: a revision or a time. Absent: now. */
  readonly at?: string | undefined;
  /** The earlier moment that it is compared with. */
  readonly from?: string | undefined;
  /** Absent: the recorded time. */
  readonly clock?: 'gate' | undefined;
  /** The open entry of the timeline, by its number. */
  readonly entry?: number | undefined;
  /** Lanes that the timeline leaves out. */
  readonly without?: readonly Lane[] | undefined;
  /** Also operators' queries that revealed nothing. */
  readonly queries?: true | undefined;
  /** Words that an entry of the timeline must contain. */
  readonly words?: string | undefined;
}

export const orderSearch = (search: RawSearch): OrderSearch => {
  const without = listOf(search['without']).flatMap((lane) => wordOf(LANES, lane) ?? []);
  return {
    tab: wordOf(TABS, search['tab']),
    at: textOf(search['at']),
    from: textOf(search['from']),
    clock: wordOf(['gate'], search['clock']),
    entry: numberOf(search['entry']),
    without: without.length === 0 ? undefined : without,
    queries: flagOf(search['queries']),
    words: textOf(search['words']),
  };
};
