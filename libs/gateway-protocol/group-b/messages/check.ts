import { IsOptional } from 'class-validator';
import { PathSegment, Holds } from '../members/member-decorators';
import { INVOICE_ID_LENGTH_MAX } from '../device-limits';
import { NamedConsumer, KnownConsumer, VerifiedConsumer } from './consumer';
import { FundsToCheck, CheckedDestination, CheckedSource } from './reference';
import { CheckSession, CheckedSession } from './session';
import { Billing } from './order-details';
import { CheckedTransaction } from './transaction';

/** First member of every answer about a transaction. */
export abstract class Invoiced {
  @PathSegment(INVOICE_ID_LENGTH_MAX)
  readonly invoiceId!: string;
}

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
