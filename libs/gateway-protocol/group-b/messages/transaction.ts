import { IsOptional } from 'class-validator';
import { BIN_LENGTH } from '../device-limits';
import { AmountCentis, Currency, Digits, ServerTime, SumCentis } from '../members/member-decorators';

/** Transaction of a verification, which has no amount (interface, sections 4.4 and 4.5). */
export class CurrencyTransaction {
  /** ISO 4217. */
  @Currency()
  readonly currency!: string;
}

/** Transaction of a sale or transfer (interface, sections 4.4 and 4.5). */
export class AmountTransaction extends CurrencyTransaction {
  /** Minor units. */
  @AmountCentis()
  readonly amountCentis!: number;
}

/** Transaction of initiate transfer: there are apps that send the BINs here. */
export class TransferTransaction extends AmountTransaction {
  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly fromBin?: string | number;

  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly toBin?: string | number;
}

/** Transaction of the answer to a check (interface, section 4.6). */
export class CheckedTransaction {
  /** ISO 4217. */
  @IsOptional()
  @Currency()
  readonly currency?: string;

  /** The random sum from the card statement, in minor units (protocol decisions, section 7). */
  @IsOptional()
  @SumCentis()
  readonly randomSumCentis?: number;
}

/** Transaction of the status of a sale or transfer (interface, section 4.7; protocol decisions, section 8). */
export class StatusTransaction {
  /** Minor units. */
  @AmountCentis()
  readonly amountCentis!: number;

  /** ISO 4217. */
  @IsOptional()
  @Currency()
  readonly currency?: string;

  /** Minor units; present once the amount is fixed, and 0 in a decline without one. */
  @IsOptional()
  @SumCentis()
  readonly commissionCentis?: number;

  /** `YYYY-MM-DD HH:mm:ss ZZZ`. */
  @ServerTime()
  readonly orderCreatedDate!: string;

  /** `YYYY-MM-DD HH:mm:ss ZZZ`. */
  @ServerTime()
  readonly transactionCreatedDate!: string;
}
