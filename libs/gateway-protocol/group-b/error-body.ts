import { isLuhnValid } from '@app/kernel';

/** Causes of initiate, check and card mapping notification, which the merchant server answers (interface, section 7.2). */
export const MERCHANT_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'SERVER_FAILED', 'SERVER_UNAVAILABLE'] as const;
export type MerchantCause = (typeof MERCHANT_CAUSES)[number];

/** Causes of perform verification, sale and transfer, and of complete transfer, which the gateway answers (interface, section 7.2). */
export const PERFORM_CAUSES = ['INVALID_REQUEST', 'INVALID_CONFIGURATION', 'INTERNAL_ERROR', 'PROCESSING_FAILED'] as const;
export type PerformCause = (typeof PERFORM_CAUSES)[number];

/** Causes of status, which the gateway answers (interface, section 7.2). */
export const STATUS_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'INTERNAL_ERROR', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND'] as const;
export type StatusCause = (typeof STATUS_CAUSES)[number];

export type DeviceErrorCause = MerchantCause | PerformCause | StatusCause;

/** The HTTP status of a failure where the setting asks for `status-codes`; without it the gateway answers 200 (protocol decisions, section 8). */
export const HTTP_STATUS_OF_CAUSE: Readonly<Record<DeviceErrorCause, number>> = {
  INVALID_REQUEST: 400,
  ORDER_NOT_FOUND: 404,
  FILTERED: 422,
  PROCESSING_FAILED: 422,
  INTERNAL_ERROR: 500,
  INVALID_CONFIGURATION: 500,
  SERVER_FAILED: 500,
  SERVER_UNAVAILABLE: 503,
};

/** An error as it is known once it happened; `code` is also in the log. */
export interface DeviceFailure<Cause extends DeviceErrorCause> {
  readonly cause: Cause;
  readonly code: string;
  /** Fixed text, or what names a member; never a value that was sent (safety, T50). */
  readonly message: string;
}

/** The body of a failure (interface, section 2.6); without invoiceId where there is none yet. */
export interface DeviceErrorBody<Cause extends DeviceErrorCause> {
  readonly error: DeviceFailure<Cause>;
  readonly invoiceId?: string;
}

export const deviceErrorBody = <Cause extends DeviceErrorCause>(
  { cause, code, message }: DeviceFailure<Cause>,
  invoiceId?: string,
): DeviceErrorBody<Cause> => ({ error: { cause, code, message }, ...(invoiceId !== undefined && { invoiceId }) });

const CODE_FLOOR = 10n ** 15n;
const CODE_SPAN = BigInt(Number.MAX_SAFE_INTEGER) - CODE_FLOOR + 1n;
const CODE_BYTES = 16;
const ROUNDS_MAX = 100;

/**
 * A code for one occurrence of an error: 16 decimal digits below 2^53, so that a client which reads it as a number keeps it whole (protocol
 * decisions, section 8). One that passes the Luhn check is drawn again: no log must take it for a card number (safety, T15).
 * @param randomBytes from a cryptographic source
 * @throws Error where chance gives nothing else
 */
export const makeErrorCode = (randomBytes: (size: number) => Uint8Array): string => {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const drawn = randomBytes(CODE_BYTES).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const code = (CODE_FLOOR + (drawn % CODE_SPAN)).toString();
    if (!isLuhnValid(code)) return code;
  }
  throw new Error('chance gives no error code');
};
