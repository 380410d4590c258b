import { MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { CARD_INFO_CONTROL_LENGTH_MAX, CARDREFID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';
import { answerFields, HEAD, REASON, type AnswerOf } from './answer';

/** Card details (interface, section 2.3). */
export class GetCardInfoRequest {
  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** The card-ref-id from registration. */
  @SignedText(CARDREFID_LENGTH_MAX)
  readonly cardrefid!: string;

  /** SHA-1 checksum. */
  @MaxLength(CARD_INFO_CONTROL_LENGTH_MAX)
  readonly control!: string;
}

/** Interface, section 2.3. */
export const GET_CARD_INFO_FIELDS = answerFields({
  ...HEAD,
  'card-printed-name': 'Holder, as printed on the card',
  'expire-year': 'Expiry, four digits',
  'expire-month': 'Expiry, two digits',
  bin: 'First six digits of the card number',
  'last-four-digits': 'Last four digits of the card number',
  ...REASON,
});

/** Card details; never more of the number than its first six and last four digits. */
export type GetCardInfoResponse = AnswerOf<
  (typeof GET_CARD_INFO_FIELDS)[number],
  { readonly type: 'get-card-info-response'; readonly 'serial-number': string }
>;
