import type { CardRefId, CardUid, MerchantLogin } from '@app/kernel';
import type { Fold } from '../../engine/folded-table';
import { MendedRows, type FoldedRecord } from '../../engine/mending/mended-rows';
import type { Mend } from '../../engine/mending/mending';
import type { Reader } from '../../engine/reader';
import type { FoldedRow } from '../../engine/database/tables';
import { foldCardReference } from './card-reference.fold';
import { CARD_REFERENCE, cardReferenceTable, SELECTED } from './card-reference.table';
import type { CardReferenceView } from './card-reference.view';

export type CardReferenceRecord = FoldedRecord<CardReferenceView>;

/** Card references as far as they are projected; every question names its merchant (safety, T11). */
export class CardReferenceQueries {
  readonly #reader: Reader;
  readonly #rows: MendedRows<CardReferenceView>;

  constructor(reader: Reader, mend?: Mend) {
    this.#reader = reader;
    this.#rows = new MendedRows(CARD_REFERENCE, foldCardReference as Fold<CardReferenceView>, SELECTED, mend);
  }

  async byReference(merchant: MerchantLogin, cardRefId: CardRefId): Promise<CardReferenceRecord | undefined> {
    const row = await this.#reader.read<FoldedRow | undefined>(CARD_REFERENCE, undefined, (db, generation) =>
      db
        .selectFrom(cardReferenceTable(generation))
        .select(SELECTED)
        .where('merchant', '=', merchant)
        .where('card_ref_id', '=', cardRefId)
        .executeTakeFirst(),
    );
    return row === undefined ? undefined : this.#rows.record(row, (view) => view.merchant === merchant && view.cardRefId === cardRefId);
  }

  /** References to one card number, the newest first. @param limit at most this many */
  async byCard(merchant: MerchantLogin, uid: CardUid, limit: number): Promise<readonly CardReferenceRecord[]> {
    const rows = await this.#reader.read<readonly FoldedRow[]>(CARD_REFERENCE, [], (db, generation) =>
      db
        .selectFrom(cardReferenceTable(generation))
        .select(SELECTED)
        .where('merchant', '=', merchant)
        .where('card_uid', '=', uid)
        .orderBy('issued_at', 'desc')
        .orderBy('stream')
        .limit(limit)
        .execute(),
    );
    return this.#rows.records(rows, (view) => view.merchant === merchant && view.card.uid === uid);
  }
}
