import { IsOptional } from 'class-validator';
import { IsCvv2, MaxLength } from '../../shared/validation/field-decorators';
import { PlacedAfter } from '../../shared/validation/message-fields';
import { InitialOrderRequest, PHONE_LENGTH_MAX } from './initial-order.request';

/** Account verification: a card is proven and nothing is charged, so no amount and no currency (protocol decisions, section 10). */
export class AccountVerificationRequest extends InitialOrderRequest {
  /** Card verification value; what is proven is that the payer has it. */
  @PlacedAfter('expire_year')
  @IsCvv2()
  readonly cvv2!: string;

  @PlacedAfter('email')
  @IsOptional()
  @MaxLength(PHONE_LENGTH_MAX)
  readonly phone?: string;
}
