import { IsOptional } from 'class-validator';
import { IsCurrencyBeside, IsReportedAmountBeside, MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { PlacedAfter } from '../../shared/validation/message-fields';
import { CLIENT_ORDERID_LENGTH_MAX, COMMENT_LENGTH_MAX, CONTROL_LENGTH_MAX, GATEWAY_ID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';

/** Void: of an approved sale that was not yet cleared (protocol decisions, section 10). */
export class VoidRequest {
  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** Merchant order id. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id. */
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid!: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;
}

/** Capture of a pre-authorisation: all that is left of it, or an amount with its currency (protocol decisions, section 10). */
export class CaptureRequest extends VoidRequest {
  /** In major units with a dot, as status reports it; with `currency`, or neither. */
  @PlacedAfter('orderid')
  @IsReportedAmountBeside('currency')
  readonly amount?: string;

  /** ISO 4217 code; with `amount`, or neither. */
  @PlacedAfter('amount')
  @IsCurrencyBeside('amount')
  readonly currency?: string;
}

/** Return of a captured sum, or cancel of a held one: all that is left, or an amount with its currency (protocol decisions, section 10). */
export class ReturnRequest extends CaptureRequest {
  /** Short comment. */
  @PlacedAfter('currency')
  @IsOptional()
  @MaxLength(COMMENT_LENGTH_MAX)
  readonly comment?: string;
}
