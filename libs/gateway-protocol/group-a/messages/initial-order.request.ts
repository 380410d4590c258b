import { IsOptional } from 'class-validator';
import { type Card, Secret } from '@app/kernel';
import {
  IsCalendarDay,
  IsCardNumber,
  IsCountry,
  IsEmailAddress,
  IsExpiryMonth,
  IsExpiryYear,
  IsIpAddress,
  IsStateOf,
  IsWebAddress,
  MaxBytes,
  MaxLength,
  SignedText,
  IsAmount,
  IsCurrency,
  IsCvv2,
} from '../../shared/validation/field-decorators';
import { CLIENT_ORDERID_LENGTH_MAX, CONTROL_LENGTH_MAX, LONG_TEXT_BYTES_MAX } from './limits';
import { PlacedAfter } from '../../shared/validation/message-fields';

/** Limits of `phone` and `cell_phone` (protocol decisions, section 10). */
export const PHONE_LENGTH_MAX = 15;

/** Members of sale, preauth and account verification, which bring a card (protocol decisions, section 10). Amount, CVV and phone differ between them. */
export abstract class InitialOrderRequest {
  /** Merchant order id. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Order description, at most 65,536 bytes of UTF-8. */
  @MaxBytes(LONG_TEXT_BYTES_MAX)
  readonly order_desc!: string;

  @IsOptional()
  @MaxLength(50)
  readonly first_name?: string;

  @IsOptional()
  @MaxLength(50)
  readonly last_name?: string;

  /** The holder's name as printed on the card. */
  @MaxLength(128)
  readonly card_printed_name!: string;

  /** 9 to 19 digits. */
  @IsCardNumber()
  readonly credit_card_number!: string;

  /** Two digits. */
  @IsExpiryMonth()
  readonly expire_month!: string;

  /** Four digits; two digits mean 20YY. */
  @IsExpiryYear()
  readonly expire_year!: string;

  @MaxLength(50)
  readonly address1!: string;

  @MaxLength(50)
  readonly city!: string;

  @MaxLength(10)
  readonly zip_code!: string;

  /** ISO 3166 alpha-2 code. */
  @IsCountry()
  readonly country!: string;

  /** Mandatory for the USA, Canada and Australia. */
  @IsStateOf('country')
  readonly state?: string;

  @IsEmailAddress(50)
  readonly email!: string;

  @IsOptional()
  @MaxLength(PHONE_LENGTH_MAX)
  readonly cell_phone?: string;

  /** The customer's IPv4 or IPv6 address. */
  @IsIpAddress()
  readonly ipaddress!: string;

  /** The last four digits of the customer's social security number. */
  @IsOptional()
  @MaxLength(4)
  readonly ssn?: string;

  /** As YYYYMMDD. */
  @IsOptional()
  @IsCalendarDay()
  readonly birthday?: string;

  @IsOptional()
  @MaxLength(128)
  readonly site_url?: string;

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

  /** Receives the final status and later transactions of the order. */
  @IsOptional()
  @IsWebAddress()
  readonly notify_url?: string;

  /** Free data of the merchant, returned in status and callback; at most 65,536 bytes of UTF-8. */
  @IsOptional()
  @MaxBytes(LONG_TEXT_BYTES_MAX)
  readonly merchant_data?: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;
}

/** Sale, and with the same fields preauth (protocol decisions, section 10). */
export class SaleRequest extends InitialOrderRequest {
  /** In major units with a dot: `10.5` is ten units and fifty minor units. */
  @PlacedAfter('order_desc')
  @IsAmount()
  readonly amount!: string;

  /** ISO 4217 code. */
  @PlacedAfter('amount')
  @IsCurrency()
  readonly currency!: string;

  /** Card verification value; optional if the gate does not require it. */
  @PlacedAfter('expire_year')
  @IsOptional()
  @IsCvv2()
  readonly cvv2?: string;

  @PlacedAfter('email')
  @MaxLength(PHONE_LENGTH_MAX)
  readonly phone!: string;
}

/** Account verification: a card is proven and nothing is charged, so no amount and no currency (protocol decisions, section 10). */
export class AccountVerificationRequest extends InitialOrderRequest {
  /** Card verification value, which the verification proves. */
  @PlacedAfter('expire_year')
  @IsCvv2()
  readonly cvv2!: string;

  @PlacedAfter('email')
  @IsOptional()
  @MaxLength(PHONE_LENGTH_MAX)
  readonly phone?: string;
}

/** The card of a validated message, in the only form in which it travels on (safety, section 5.1). The CVV is not part of it. */
export const cardOf = (
  request: Pick<InitialOrderRequest, 'credit_card_number' | 'expire_month' | 'expire_year' | 'card_printed_name'>,
): Secret<Card> =>
  new Secret({
    number: request.credit_card_number,
    expiryMonth: Number(request.expire_month),
    expiryYear: Number(request.expire_year),
    holder: request.card_printed_name,
  });
