import { MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { CARD_INFO_CONTROL_LENGTH_MAX, CARDREFID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';

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
