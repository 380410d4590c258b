import { isLuhnValid } from '@app/kernel';
import type { DeviceErrorCause } from './error-causes';

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
