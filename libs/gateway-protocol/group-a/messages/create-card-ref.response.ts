import type { AnswerOf } from './answer';

/** Interface, section 2.2. */
export const CREATE_CARD_REF_FIELDS = [
  'type',
  'serial-number',
  'status',
  'card-ref-id',
  'unq-card-ref-id',
  'error-message',
  'error-code',
  'end-point-id',
] as const;

/** Card registration v2; of an order that ended other than approved, its status and reason and no reference (protocol decisions, section 4). */
export type CreateCardRefResponse = AnswerOf<
  (typeof CREATE_CARD_REF_FIELDS)[number],
  { readonly type: 'create-card-ref-response'; readonly 'serial-number': string; readonly status: string; readonly 'end-point-id': string }
>;
