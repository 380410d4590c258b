import type { StreamName } from '@app/event-store';
import type { CardRefId, CardUid, MerchantLogin } from '@app/kernel';
import { foldedOf, type Folded } from '../folded-table';
import type { Reader } from '../reader';
import { CARD_REFERENCE, cardReferenceTable } from './card-reference.table';
import type { CardReferenceView } from './card-reference.view';

export interface CardReferenceRecord extends Folded<CardReferenceView> {
  readonly stream: StreamName;
}

const SELECTED = ['stream', 'revision', 'view'] as const;

/** Card references as far as they are projected; every question names its merchant (safety, T11). */
export class CardReferenceQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  byReference(merchant: MerchantLogin, cardRefId: CardRefId): Promise<CardReferenceRecord | undefined> {
    return this.#reader.read(CARD_REFERENCE, undefined, async (db, generation) => {
      const row = await db
        .selectFrom(cardReferenceTable(generation))
        .select(SELECTED)
        .where('merchant', '=', merchant)
        .where('card_ref_id', '=', cardRefId)
        .executeTakeFirst();
      return row === undefined ? undefined : recordOf(row);
    });
  }

  /** References to one card number, the newest first. @param limit at most this many */
  byCard(merchant: MerchantLogin, uid: CardUid, limit: number): Promise<readonly CardReferenceRecord[]> {
    return this.#reader.read(CARD_REFERENCE, [], async (db, generation) => {
      const rows = await db
        .selectFrom(cardReferenceTable(generation))
        .select(SELECTED)
        .where('merchant', '=', merchant)
        .where('card_uid', '=', uid)
        .orderBy('issued_at', 'desc')
        .orderBy('stream')
        .limit(limit)
        .execute();
      return rows.map(recordOf);
    });
  }
}

const recordOf = (row: { readonly stream: string; readonly revision: number; readonly view: string }): CardReferenceRecord => ({
  stream: row.stream as StreamName,
  ...foldedOf<CardReferenceView>(row),
});
