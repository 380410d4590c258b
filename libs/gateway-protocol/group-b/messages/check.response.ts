import { IsOptional } from 'class-validator';
import { Holds } from '../members/member-decorators';
import { KnownConsumer, VerifiedConsumer } from './consumer';
import { CheckedDestination, CheckedSource } from './funds';
import { Invoiced } from './invoiced';
import { Billing } from './order-details';
import { CheckedSession } from './session';
import { CheckedTransaction } from './transaction';

/** Members of the answers to all checks (interface, section 4.6). */
abstract class CheckResponse extends Invoiced {
  @Holds(CheckedSession)
  readonly session!: CheckedSession;

  @IsOptional()
  @Holds(CheckedTransaction)
  readonly transaction?: CheckedTransaction;
}

export class CheckVerificationResponse extends CheckResponse {
  @IsOptional()
  @Holds(Billing)
  readonly billing?: Billing;

  @IsOptional()
  @Holds(VerifiedConsumer)
  readonly consumer?: VerifiedConsumer;
}

export class CheckSaleResponse extends CheckResponse {
  @IsOptional()
  @Holds(KnownConsumer)
  readonly consumer?: KnownConsumer;

  @IsOptional()
  @Holds(CheckedSource)
  readonly sourceOfFunds?: CheckedSource;
}

export class CheckTransferResponse extends CheckSaleResponse {
  @IsOptional()
  @Holds(CheckedDestination)
  readonly destinationOfFunds?: CheckedDestination;
}
