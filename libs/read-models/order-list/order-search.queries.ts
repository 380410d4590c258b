import type { StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Reader } from '../engine/reader';
import { canBeIndexed, entriesOf } from '../engine/entry-table';
import { ORDER_SEARCH, orderSearchTable } from './order-search.table';

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
    {
      from: first,
      limit = STREAMS_MAX,
      deadline,
    }: { readonly from?: StreamName; readonly limit?: number; readonly deadline?: Deadline } = {},
  ): Promise<readonly StreamName[]> {
    if (!canBeIndexed(identifier)) return Promise.resolve([]);
    const { from, to, streamOf } = entriesOf(identifier);
    return this.#reader.read(
      ORDER_SEARCH,
      [],
      async (db, generation) => {
        const rows = await db
          .selectFrom(orderSearchTable(generation))
          .select('key')
          .where('key', '>=', from + (first ?? ''))
          .where('key', '<', to)
          .orderBy('key')
          .limit(limit)
          .execute();
        return rows.flatMap(({ key }) => streamOf(key) ?? []);
      },
      deadline,
    );
  }
}
