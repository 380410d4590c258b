import { IsOptional } from 'class-validator';
import { Digits, Holds, PathSegment, Text } from '../members/member-decorators';
import { InitiateConsumer } from './consumer';
import { Location } from './order-details';
import { AccessSession, IssuedSession } from './session';
import { AmountTransaction, CurrencyTransaction, TransferTransaction } from './transaction';
import { BIN_LENGTH, ENDPOINT_ID_LENGTH_MAX, INVOICE_ID_LENGTH_MAX } from '../device-limits';

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

  /** For a commission computed in advance; the members in `transaction` mean the same. */
  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly fromBin?: string | number;

  @IsOptional()
  @Digits(BIN_LENGTH)
  readonly toBin?: string | number;
}

const RATE_LENGTH_MAX = 32;

/** Answer to initiate verification and initiate sale (interface, section 4.4). */
export class InitiateResponse {
  @PathSegment(ENDPOINT_ID_LENGTH_MAX)
  readonly endpointId!: string;

  @PathSegment(INVOICE_ID_LENGTH_MAX)
  readonly invoiceId!: string;

  @Holds(IssuedSession)
  readonly session!: IssuedSession;
}

/** The least and the most commission, in major units: "1.50" (protocol decisions, section 8). */
export class Rates {
  @IsOptional()
  @Text(1, RATE_LENGTH_MAX)
  readonly min?: string;

  @IsOptional()
  @Text(1, RATE_LENGTH_MAX)
  readonly max?: string;
}

export class InitiateTransferResponse extends InitiateResponse {
  @IsOptional()
  @Holds(Rates)
  readonly rates?: Rates;
}
