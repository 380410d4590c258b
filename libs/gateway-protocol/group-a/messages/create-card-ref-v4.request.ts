import { IsOptional } from 'class-validator';
import { SignedText } from '../../shared/validation/field-decorators';
import { CLIENT_ORDERID_LENGTH_MAX, GATEWAY_ID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';

/** Card registration v4: the Authorization header identifies the sender and signs the request (interface, sections 2.2 and 5.2). */
export class CreateCardRefV4Request {
  /** Merchant order id of the first payment. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id of the first payment. */
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid!: string;

  /** The interface has none; where one is sent it is the consumer key (protocol decisions, section 1). */
  @IsOptional()
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login?: string;
}
