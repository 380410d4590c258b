import { IsOptional } from 'class-validator';
import { Holds, PathSegment, Text } from '../members/member-decorators';
import { ENDPOINT_ID_LENGTH_MAX, INVOICE_ID_LENGTH_MAX } from '../device-limits';
import { IssuedSession } from './session';

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
