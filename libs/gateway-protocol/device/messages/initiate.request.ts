import { IsOptional } from 'class-validator';
import { Digits, Holds } from '../member-decorators';
import { InitiateConsumer } from './consumer';
import { Location } from './order-details';
import { AccessSession } from './session';
import { AmountTransaction, CurrencyTransaction } from './transaction';

const BIN_LENGTH = 6;

/** What the three initiate operations share: the app asks its merchant server (interface, section 4.4). */
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
  @Holds(AmountTransaction)
  readonly transaction!: AmountTransaction;

  /** For a commission computed beforehand. */
  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly fromBin?: string;

  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly toBin?: string;
}
