import type { StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Reader } from '../../engine/reader';
import { entriesOf, ORDER_SEARCH, orderSearchTable } from './order-search.table';

/** A reference number of a gate may come again over the years. */
const STREAMS_MAX = 100;
const IDENTIFIER_LENGTH_MAX = 256;

/** Which orders an identifier names, as far as the log is projected. */
export class OrderSearchQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /**
   * In the order of their names, from `from` on, itself included; at most `limit`, by default few: an identifier of ours or a gate's names one order,
   * as a rule, a card names as many as were paid with it.
   * Of any merchant: who asks for one merchant's looks at whose the stream's order is before anything of it is told (safety, T11).
   */
  streamsNamed(
    identifier: string,
    {
      from: first,
      limit = STREAMS_MAX,
      deadline,
    }: { readonly from?: StreamName; readonly limit?: number; readonly deadline?: Deadline } = {},
  ): Promise<readonly StreamName[]> {
    if (identifier === '' || identifier.length > IDENTIFIER_LENGTH_MAX) return Promise.resolve([]);
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
