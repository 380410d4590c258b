import type { AnswerOf } from './answer';

/** Interface, section 2.3. */
export const GET_CARD_INFO_FIELDS = [
  'type',
  'serial-number',
  'card-printed-name',
  'expire-year',
  'expire-month',
  'bin',
  'last-four-digits',
  'error-message',
  'error-code',
] as const;

/** Card details; never more of the number than its first six and last four digits. */
export type GetCardInfoResponse = AnswerOf<
  (typeof GET_CARD_INFO_FIELDS)[number],
  { readonly type: 'get-card-info-response'; readonly 'serial-number': string }
>;
