import type { CardRefId, CardUid, Instant, MerchantLogin } from '@app/kernel';
import { CompiledOnceOf } from '../engine/compiled-once';
import { canBeIndexed } from '../engine/entry-table';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import { cardReferences } from './card-reference.table';
import type { CardReferenceView } from './card-reference.view';

type CardReferenceRecord = FoldedRecord<CardReferenceView>;

/** Every query names its merchant (safety, T11). */
export class CardReferenceQueries {
  readonly #rows: VerifiedRows<CardReferenceView>;
  readonly #byReference = new CompiledOnceOf((db, generation, merchant: MerchantLogin, cardRefId: CardRefId) =>
    cardReferences.rows(db, generation).where('merchant', '=', merchant).where('card_ref_id', '=', cardRefId),
  );

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(cardReferences, reader, projectFromLog);
  }

  byReference(merchant: MerchantLogin, cardRefId: CardRefId): Promise<CardReferenceRecord | undefined> {
    return this.#rows.first(
      (db, generation) => this.#byReference.rows(db, generation, merchant, cardRefId),
      (view) => view.merchant === merchant && view.cardRefId === cardRefId,
    );
  }

  /**
   * References to one card number, newest first.
   * @param limit maximum of references
   * @param issuedBefore exclusive
   */
  async byCard(merchant: MerchantLogin, uid: CardUid, limit: number, issuedBefore?: Instant): Promise<readonly CardReferenceRecord[]> {
    if (!canBeIndexed(uid)) return [];
    return this.#rows.all(
      (db, generation) =>
        cardReferences
          .rows(db, generation)
          .where('merchant', '=', merchant)
          .where('card_uid', '=', uid)
          .$if(issuedBefore !== undefined, (query) => query.where('issued_at', '<', Number(issuedBefore)))
          .orderBy('issued_at', 'desc')
          .orderBy('stream')
          .limit(limit)
          .execute(),
      (view) => view.merchant === merchant && view.card.uid === uid,
    );
  }
}
