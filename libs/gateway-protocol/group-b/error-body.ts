import { isLuhnValid } from '@app/kernel';

/** For responses of the merchant server to initiate, check and card mapping notification (interface, section 7.2). */
export const MERCHANT_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'SERVER_FAILED', 'SERVER_UNAVAILABLE'] as const;
export type MerchantCause = (typeof MERCHANT_CAUSES)[number];

/** For responses of the gateway to perform and complete transfer (interface, section 7.2). */
export const PERFORM_CAUSES = ['INVALID_REQUEST', 'INVALID_CONFIGURATION', 'INTERNAL_ERROR', 'PROCESSING_FAILED'] as const;
export type PerformCause = (typeof PERFORM_CAUSES)[number];

/** For responses of the gateway to status (interface, section 7.2). */
export const STATUS_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'INTERNAL_ERROR', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND'] as const;
export type StatusCause = (typeof STATUS_CAUSES)[number];

export type DeviceErrorCause = MerchantCause | PerformCause | StatusCause;

/** Used with the setting `status-codes`; otherwise the gateway returns 200 (protocol decisions, section 8). */
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

/** `code` is also logged. */
export interface DeviceFailure<Cause extends DeviceErrorCause> {
  readonly cause: Cause;
  readonly code: string;
  /** A fixed text or a member's name; never a value of the request (safety, T50). */
  readonly message: string;
}

/** Interface, section 2.6; without invoiceId before there is one. */
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
 * 16 digits below 2^53, so that clients can read it as a number (protocol decisions, section 8). Codes that pass the
 * Luhn check are drawn again, because they look like card numbers (safety, T15).
 * @param randomBytes from a cryptographic source
 */
export const makeErrorCode = (randomBytes: (size: number) => Uint8Array): string => {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const drawn = randomBytes(CODE_BYTES).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const code = (CODE_FLOOR + (drawn % CODE_SPAN)).toString();
    if (!isLuhnValid(code)) return code;
  }
  throw new Error('chance gives no error code');
};
