import { IsOptional } from 'class-validator';
import { Holds, OneOf, PathSegment, Text } from '../members/member-decorators';
import { DEVICE_TEXT_LENGTH_MAX, INVOICE_ID_LENGTH_MAX, OPEN_TEXT_LENGTH_MAX } from '../device-limits';
import {
  MERCHANT_CAUSES,
  PERFORM_CAUSES,
  STATUS_CAUSES,
  type DeviceErrorCause,
  type MerchantCause,
  type PerformCause,
  type StatusCause,
} from '../error-body';

abstract class DeviceError {
  abstract readonly cause: DeviceErrorCause;

  /** Unique per occurrence; decimal digits if the gateway created it (protocol decisions, section 8). */
  @Text(1, DEVICE_TEXT_LENGTH_MAX)
  readonly code!: string;

  @Text(0, OPEN_TEXT_LENGTH_MAX)
  readonly message!: string;
}

export class MerchantError extends DeviceError {
  @OneOf(MERCHANT_CAUSES)
  readonly cause!: MerchantCause;
}

export class PerformError extends DeviceError {
  @OneOf(PERFORM_CAUSES)
  readonly cause!: PerformCause;
}

export class StatusError extends DeviceError {
  @OneOf(STATUS_CAUSES)
  readonly cause!: StatusCause;
}

/** A failure's body; that of initiate has no invoice yet (interface, sections 2.6 and 4.4). */
abstract class DeviceErrorResponse {
  abstract readonly error: DeviceError;

  @IsOptional()
  @PathSegment(INVOICE_ID_LENGTH_MAX)
  readonly invoiceId?: string;
}

/** Errors of initiate, check and card mapping notification (interface, section 7.2). */
export class MerchantErrorResponse extends DeviceErrorResponse {
  @Holds(MerchantError)
  readonly error!: MerchantError;
}

/** Errors of perform and complete (interface, section 7.2). */
export class PerformErrorResponse extends DeviceErrorResponse {
  @Holds(PerformError)
  readonly error!: PerformError;
}

/** Errors of status (interface, section 7.2). */
export class StatusErrorResponse extends DeviceErrorResponse {
  @Holds(StatusError)
  readonly error!: StatusError;
}
