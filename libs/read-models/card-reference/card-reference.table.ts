import { foldedProjection } from '../engine/folded-table';
import { foldCardReference } from './card-reference.fold';

export const CARD_REFERENCE = 'card-reference';

/** The read model behind get-card-info and the choice of a registered card (interface, section 2.3). */
export const cardReferences = foldedProjection(CARD_REFERENCE, {
  categories: ['cardReference'],
  shape: 2,
  fold: foldCardReference,
  isFinished: () => true,
  columns: {
    merchant: { type: 'text', isFixed: true, of: ({ merchant }) => merchant },
    card_ref_id: { type: 'text', isFixed: true, of: ({ cardRefId }) => cardRefId },
    card_uid: { type: 'text', isFixed: true, of: ({ card }) => card.uid },
    card_use: { type: 'text', isFixed: true, of: ({ use }) => use },
    issued_at: { type: 'bigint', isFixed: true, of: ({ issuedAt }) => issuedAt },
  },
  indexes: {
    reference: { on: ['merchant', 'card_ref_id'], isUnique: true },
    card: { on: ['merchant', 'card_uid', 'issued_at'] },
  },
});
