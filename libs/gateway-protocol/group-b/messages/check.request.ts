import { IsOptional } from 'class-validator';
import { Holds } from '../members/member-decorators';
import { NamedConsumer } from './consumer';
import { FundsToCheck } from './funds';
import { CheckSession } from './session';

/** The gateway asks the merchant server whether what the app asks for is its own (interface, section 4.6). */
export class CheckVerificationRequest {
  @Holds(NamedConsumer)
  readonly consumer!: NamedConsumer;

  @Holds(CheckSession)
  readonly session!: CheckSession;
}

export class CheckSaleRequest extends CheckVerificationRequest {
  @IsOptional()
  @Holds(FundsToCheck)
  readonly sourceOfFunds?: FundsToCheck;
}

export class CheckTransferRequest extends CheckSaleRequest {
  @IsOptional()
  @Holds(FundsToCheck)
  readonly destinationOfFunds?: FundsToCheck;
}
