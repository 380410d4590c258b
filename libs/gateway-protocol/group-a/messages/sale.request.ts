import { IsOptional } from 'class-validator';
import { IsAmount, IsCurrency, IsCvv2, MaxLength } from '../../shared/validation/field-decorators';
import { PlacedAfter } from '../../shared/validation/message-fields';
import { InitialOrderRequest, PHONE_LENGTH_MAX } from './initial-order.request';

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

  /** Card verification value; may be left out where the gate can do without. */
  @PlacedAfter('expire_year')
  @IsOptional()
  @IsCvv2()
  readonly cvv2?: string;

  @PlacedAfter('email')
  @MaxLength(PHONE_LENGTH_MAX)
  readonly phone!: string;
}
