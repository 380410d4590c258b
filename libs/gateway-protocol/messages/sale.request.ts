import { IsAmount, IsCurrency, MaxLength } from '../field-decorators';
import { PlacedAfter } from '../message-fields';
import { InitialOrderRequest } from './initial-order.request';

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

  @PlacedAfter('email')
  @MaxLength(15)
  readonly phone!: string;
}
