import type { PaymentSigned, VerificationSigned } from './signatures';
import { INVOICE_ID_LENGTH_MAX, SESSION_TEXT_LENGTH_MAX, SESSION_TEXT_LENGTH_MIN } from './device-limits';

interface Lengths {
  readonly min: number;
  readonly max: number;
}

/** Lengths of values that a merchant server chooses, in UTF-16 units. */
export interface ChosenLengths {
  readonly nonce: Lengths;
  readonly invoiceId: Lengths;
}

/** Permitted by the interface (section 2.6). With these, almost every text is ambiguous. */
export const WIRE_LENGTHS: ChosenLengths = {
  nonce: { min: SESSION_TEXT_LENGTH_MIN, max: SESSION_TEXT_LENGTH_MAX },
  invoiceId: { min: 1, max: INVOICE_ID_LENGTH_MAX },
};

/** Our merchant server: a nonce of 64 characters and a UUID (protocol decisions, section 8), so never ambiguous. */
export const FIXED_LENGTHS: ChosenLengths = { nonce: { min: 64, max: 64 }, invoiceId: { min: 36, max: 36 } };

const AMOUNT_DIGITS_MAX = 16;
const AMOUNT = /^[1-9]\d*$/;

const isAmount = (text: string): boolean => text === '' || (AMOUNT.test(text) && Number.isSafeInteger(Number(text)));

const isWithin = ({ length }: string, { min, max }: Lengths): boolean => length >= min && length <= max;

const splitsOf = (length: number, { nonce, invoiceId }: ChosenLengths): number =>
  Math.max(0, Math.min(nonce.max, length - invoiceId.min) - Math.max(nonce.min, length - invoiceId.max) + 1);

/**
 * Whether the signed text of an initiate also fits another nonce, invoice id or amount. Such orders are marked in event
 * and metric (safety, section 3.1). Both sides know the other values, so these count as fixed.
 */
export const isAmbiguousSignedText = (
  { nonce, invoiceId, amountCentis }: VerificationSigned & Partial<Pick<PaymentSigned, 'amountCentis'>>,
  lengths: ChosenLengths = WIRE_LENGTHS,
): boolean => {
  const ownAmount = amountCentis?.toString() ?? '';
  const isOwnSplit = isWithin(nonce, lengths.nonce) && isWithin(invoiceId, lengths.invoiceId);
  const text = nonce + invoiceId + ownAmount;
  for (let digits = 0; digits <= AMOUNT_DIGITS_MAX; digits++) {
    const rest = text.length - digits;
    if (rest < 0 || !isAmount(text.slice(rest))) continue;
    const isOwnCounted = isOwnSplit && digits === ownAmount.length;
    if (splitsOf(rest, lengths) > (isOwnCounted ? 1 : 0)) return true;
  }
  return false;
};
