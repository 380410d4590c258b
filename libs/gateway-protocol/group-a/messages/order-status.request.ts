import { IsOptional } from 'class-validator';
import { MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { CLIENT_ORDERID_LENGTH_MAX, CONTROL_LENGTH_MAX, GATEWAY_ID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';

/** Order status (interface, section 2.5). */
export class OrderStatusRequest {
  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** Merchant order id. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id; optional if client_orderid identifies one order (protocol decisions, section 5). */
  @IsOptional()
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid?: string;

  /** Serial number of a request that created or changed the order. The answer then describes that request. */
  @IsOptional()
  @MaxLength(GATEWAY_ID_LENGTH_MAX)
  readonly 'by-request-sn'?: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;
}

/** Order status v4: the Authorization header identifies the sender and signs the request (protocol decisions, section 1). */
export class OrderStatusV4Request {
  /** Merchant order id. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id; optional if client_orderid identifies one order. */
  @IsOptional()
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid?: string;

  /** Serial number of a request that created or changed the order. The answer then describes that request. */
  @IsOptional()
  @MaxLength(GATEWAY_ID_LENGTH_MAX)
  readonly 'by-request-sn'?: string;

  /** If sent, it must be the consumer key. */
  @IsOptional()
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login?: string;
}
