import { wordOf, type RawSearch } from '../app/search';

export const QUEUES = ['unknown', 'callbacks', 'disputes', 'cases', 'parked'] as const;

export interface QueuesSearch {
  /** Absent: `unknown`. */
  readonly queue?: (typeof QUEUES)[number] | undefined;
}

export const queuesSearch = (search: RawSearch): QueuesSearch => ({ queue: wordOf(QUEUES, search['queue']) });
