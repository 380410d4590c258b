import { IsOptional } from 'class-validator';
import { Digits, Holds } from '../members/member-decorators';
import { InitiateConsumer } from './consumer';
import { Location } from './order-details';
import { AccessSession } from './session';
import { AmountTransaction, CurrencyTransaction, TransferTransaction } from './transaction';
import { BIN_LENGTH } from '../device-limits';

/** Members of the three initiate requests, which the app sends to its merchant server (interface, section 4.4). */
abstract class InitiateRequest {
  @Holds(InitiateConsumer)
  readonly consumer!: InitiateConsumer;

  @IsOptional()
  @Holds(Location)
  readonly location?: Location;

  @Holds(AccessSession)
  readonly session!: AccessSession;
}

export class InitiateVerificationRequest extends InitiateRequest {
  @Holds(CurrencyTransaction)
  readonly transaction!: CurrencyTransaction;
}

export class InitiateSaleRequest extends InitiateRequest {
  @Holds(AmountTransaction)
  readonly transaction!: AmountTransaction;
}

export class InitiateTransferRequest extends InitiateRequest {
  @Holds(TransferTransaction)
  readonly transaction!: TransferTransaction;

  /** For a commission computed beforehand; inside `transaction` they say the same. */
  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly fromBin?: string | number;

  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly toBin?: string | number;
}
