import type { StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Reader } from '../engine/reader';
import { orderSearch } from './order-search.table';

/** A gate may reuse a reference number over the years. */
const STREAMS_MAX = 100;

export class OrderSearchQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /**
   * Sorted by name, from `from` on (inclusive), at most `limit`. Contains orders of all merchants: check each order's merchant before
   * revealing anything (safety, T11).
   */
  streamsNamed(
    identifier: string,
    asked: { readonly from?: StreamName; readonly limit?: number; readonly deadline?: Deadline } = {},
  ): Promise<readonly StreamName[]> {
    return orderSearch.streams(this.#reader, identifier, { limit: STREAMS_MAX, ...asked });
  }
}
