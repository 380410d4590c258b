import type { StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import type { Reader } from '../reader';
import { entriesOf, ORDER_SEARCH, orderSearchTable } from './order-search.table';

/** An identifier is a gate's or ours and names one order, as a rule; a reference number of a gate may come again over the years. */
const STREAMS_MAX = 100;
const IDENTIFIER_LENGTH_MAX = 256;

export interface NamedOrder {
  readonly stream: StreamName;
  readonly merchant: MerchantLogin;
}

/** Which orders an identifier names, as far as the log is projected. */
export class OrderSearchQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** For a merchant's own page (safety, T11). */
  async ofMerchant(merchant: MerchantLogin, identifier: string): Promise<readonly StreamName[]> {
    return (await this.named(identifier, merchant)).map(({ stream }) => stream);
  }

  /** For the operator alone: whosever they are (safety, T43). */
  ofAnyMerchant(identifier: string): Promise<readonly NamedOrder[]> {
    return this.named(identifier, undefined);
  }

  private named(identifier: string, merchant: MerchantLogin | undefined): Promise<readonly NamedOrder[]> {
    if (identifier === '' || identifier.length > IDENTIFIER_LENGTH_MAX) return Promise.resolve([]);
    const { from, to, streamOf } = entriesOf(identifier);
    return this.#reader.read(ORDER_SEARCH, [], async (db, generation) => {
      let query = db.selectFrom(orderSearchTable(generation)).select(['key', 'merchant']).where('key', '>=', from).where('key', '<', to);
      if (merchant !== undefined) query = query.where('merchant', '=', merchant);
      const rows = await query.orderBy('key').limit(STREAMS_MAX).execute();
      return rows.flatMap(({ key, merchant: owner }) => {
        const stream = streamOf(key);
        return stream === undefined ? [] : [{ stream, merchant: owner as MerchantLogin }];
      });
    });
  }
}
