import { IsOptional } from 'class-validator';
import {
  IsAmount,
  IsAmountList,
  IsCurrency,
  IsCvv2,
  IsIn,
  IsIpAddress,
  IsWebAddress,
  MaxBytes,
  MaxLength,
  SignedText,
} from '../../shared/validation/field-decorators';
import {
  CARDREFID_LENGTH_MAX,
  CLIENT_ORDERID_LENGTH_MAX,
  COMMENT_LENGTH_MAX,
  CONTROL_LENGTH_MAX,
  LOGIN_LENGTH_MAX,
  LONG_TEXT_BYTES_MAX,
} from './limits';

/** Values of `recurrent_scenario` (interface, section 2.4). */
export const RECURRENT_SCENARIOS = ['REGULAR', 'IRREGULAR'] as const;
export type RecurrentScenario = (typeof RECURRENT_SCENARIOS)[number];
/** Values of `recurrent_initiator` (interface, section 2.4). */
export const RECURRENT_INITIATORS = ['CARDHOLDER', 'MERCHANT'] as const;
export type RecurrentInitiator = (typeof RECURRENT_INITIATORS)[number];

/** Recurrent payment, and with the same fields recurrent pre-authorisation (interface, section 2.4; protocol decisions, section 1). */
export class MakeRebillSaleRequest {
  /** Merchant order id. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** The card-ref-id from registration. */
  @SignedText(CARDREFID_LENGTH_MAX)
  readonly cardrefid!: string;

  /** Order description, at most 65,536 bytes of UTF-8. */
  @MaxBytes(LONG_TEXT_BYTES_MAX)
  readonly order_desc!: string;

  /** In major units with a dot: `10.5` is ten units and fifty minor units. */
  @IsAmount()
  readonly amount!: string;

  /** Amounts separated by commas, attempted in this order until one is approved. */
  @IsOptional()
  @IsAmountList(128)
  readonly enumerate_amounts?: string;

  /** ISO 4217 code. */
  @IsCurrency()
  readonly currency!: string;

  /** Card verification value; optional if the gate does not require it. */
  @IsOptional()
  @IsCvv2()
  readonly cvv2?: string;

  /** The customer's IPv4 or IPv6 address, for fraud screening. */
  @IsIpAddress()
  readonly ipaddress!: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;

  /** Short comment. */
  @IsOptional()
  @MaxLength(COMMENT_LENGTH_MAX)
  readonly comment?: string;

  /** Destination of the payment, for fraud monitoring. */
  @IsOptional()
  @MaxLength(128)
  readonly purpose?: string;

  /** The payer's browser returns here after any outcome. */
  @IsOptional()
  @IsWebAddress()
  readonly redirect_url?: string;

  /** The payer's browser returns here if the order was approved. */
  @IsOptional()
  @IsWebAddress()
  readonly redirect_success_url?: string;

  /** The payer's browser returns here if the order was declined or filtered. */
  @IsOptional()
  @IsWebAddress()
  readonly redirect_fail_url?: string;

  /** Address of the merchant callback. */
  @IsOptional()
  @IsWebAddress()
  readonly server_callback_url?: string;

  /** Free data of the merchant, returned in status and callback; at most 65,536 bytes of UTF-8. */
  @IsOptional()
  @MaxBytes(LONG_TEXT_BYTES_MAX)
  readonly merchant_data?: string;

  /** Overrides the gate's setting; used by some acquirers. */
  @IsOptional()
  @IsIn(RECURRENT_SCENARIOS)
  readonly recurrent_scenario?: RecurrentScenario;

  /** Overrides the gate's setting; used by some acquirers. */
  @IsOptional()
  @IsIn(RECURRENT_INITIATORS)
  readonly recurrent_initiator?: RecurrentInitiator;
}
