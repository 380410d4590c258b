import type { AnswerOf } from './answer';

/** Interface, section 2.2: the names of its table and those of its example body, for a client may read either (protocol decisions, section 4). */
export const CREATE_CARD_REF_V4_FIELDS = [
  'type',
  'serial-number',
  'status',
  'card-ref-id',
  'card_recurring_payment_id',
  'recurring-payment-id',
  'destination_card_recurring_payment_id',
  'dst-card-ref-id',
  'error-message',
  'error-code',
  'end-point-id',
] as const;

/** Card registration v4: a reference to charge, and one for transfers to the card alone. */
export type CreateCardRefV4Response = AnswerOf<
  (typeof CREATE_CARD_REF_V4_FIELDS)[number],
  { readonly type: 'create-card-ref-response'; readonly 'serial-number': string; readonly status: string; readonly 'end-point-id': string }
>;
