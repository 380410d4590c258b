import type { CardRefId, CardUid, Instant, MerchantLogin } from '@app/kernel';
import { CompiledOnceOf } from '../engine/compiled-once';
import type { Fold } from '../engine/folded-table';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import type { ProjectFromLog } from '../engine/project-from-log';
import { canBeIndexed } from '../engine/entry-table';
import type { Reader } from '../engine/reader';
import type { FoldedRow } from '../engine/database/tables';
import { foldCardReference } from './card-reference.fold';
import { CARD_REFERENCE, cardReferenceTable, SELECTED } from './card-reference.table';
import type { CardReferenceView } from './card-reference.view';

export type CardReferenceRecord = FoldedRecord<CardReferenceView>;

/** Every query names its merchant (safety, T11). */
export class CardReferenceQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<CardReferenceView>;
  readonly #byReference = new CompiledOnceOf((db, generation, merchant: MerchantLogin, cardRefId: CardRefId) =>
    db.selectFrom(cardReferenceTable(generation)).select(SELECTED).where('merchant', '=', merchant).where('card_ref_id', '=', cardRefId),
  );

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(CARD_REFERENCE, foldCardReference as Fold<CardReferenceView>, SELECTED, projectFromLog);
  }

  async byReference(merchant: MerchantLogin, cardRefId: CardRefId): Promise<CardReferenceRecord | undefined> {
    const [row] = await this.#reader.read<readonly FoldedRow[]>(
      CARD_REFERENCE,
      [],
      async (db, generation) => (await this.#byReference.run(db, generation, merchant, cardRefId)).rows,
    );
    return row === undefined ? undefined : this.#rows.record(row, (view) => view.merchant === merchant && view.cardRefId === cardRefId);
  }

  /**
   * References to one card number, newest first.
   * @param limit maximum of references
   * @param issuedBefore exclusive
   */
  async byCard(merchant: MerchantLogin, uid: CardUid, limit: number, issuedBefore?: Instant): Promise<readonly CardReferenceRecord[]> {
    if (!canBeIndexed(uid)) return [];
    const rows = await this.#reader.read<readonly FoldedRow[]>(CARD_REFERENCE, [], (db, generation) =>
      db
        .selectFrom(cardReferenceTable(generation))
        .select(SELECTED)
        .where('merchant', '=', merchant)
        .where('card_uid', '=', uid)
        .$if(issuedBefore !== undefined, (query) => query.where('issued_at', '<', Number(issuedBefore)))
        .orderBy('issued_at', 'desc')
        .orderBy('stream')
        .limit(limit)
        .execute(),
    );
    return this.#rows.records(rows, (view) => view.merchant === merchant && view.card.uid === uid);
  }
}
