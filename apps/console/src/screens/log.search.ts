import { numberOf, textOf, wordOf, type RawSearch } from '../app/search';

const TABS = ['checkpoints', 'event', 'pack'] as const;

export interface LogSearch {
  readonly tab?: (typeof TABS)[number] | undefined;
  /** The event to prove. */
  readonly stream?: string | undefined;
  readonly revision?: number | undefined;
  /** Sizes of the two checkpoints that are compared. */
  readonly older?: number | undefined;
  readonly later?: number | undefined;
}

export const logSearch = (search: RawSearch): LogSearch => ({
  tab: wordOf(TABS, search['tab']),
  stream: textOf(search['stream']),
  revision: numberOf(search['revision']),
  older: numberOf(search['older']),
  later: numberOf(search['later']),
});
