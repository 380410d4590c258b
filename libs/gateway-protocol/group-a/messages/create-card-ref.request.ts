import { MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { CLIENT_ORDERID_LENGTH_MAX, CONTROL_LENGTH_MAX, GATEWAY_ID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';

/** Card registration v2 (interface, section 2.2). */
export class CreateCardRefRequest {
  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** Merchant order id of the first payment. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id of the first payment. */
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid!: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;
}
