import { hmacSha1 } from '../group-a/control';
import { type ControlKey, isSameHex } from '../shared/control-key';

// Upper-case hexadecimal HMAC-SHA1 over values without separators, in the order of the interface, section 5.3.

export interface VerificationSigned {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: string;
  readonly nonce: string;
  readonly invoiceId: string;
  readonly currency: string;
}

export interface PaymentSigned extends VerificationSigned {
  /** Minor units. */
  readonly amountCentis: number;
}

export interface NotificationSigned {
  readonly nonce: string;
  readonly endpointId: string;
  readonly invoiceId: string;
}

/** Values of every checkSignature: use the verifier's values, never those of the response (safety, section 3.1). */
export interface CheckSigned extends NotificationSigned {
  readonly serialNumber: string;
}

export interface CheckSaleSigned extends CheckSigned {
  /** sourceOfFunds.reference.serverCardId, if present. */
  readonly sourceServerCardId?: string | undefined;
}

export interface CheckTransferSigned extends CheckSaleSigned {
  /** destinationOfFunds.reference.serverCardId, if present. */
  readonly destinationServerCardId?: string | undefined;
}

export const verificationSignature = (signed: VerificationSigned, key: ControlKey): string =>
  hmacSha1(signed.accessToken + signed.serialNumber + signed.endpointId + signed.nonce + signed.invoiceId + signed.currency, key);

/**
 * For initiate sale and initiate transfer.
 * @throws RangeError for an amount that is not a safe integer
 */
export const paymentSignature = (signed: PaymentSigned, key: ControlKey): string => {
  if (!Number.isSafeInteger(signed.amountCentis)) throw new RangeError('an amount that is no safe integer');
  const { accessToken, serialNumber, endpointId, nonce, invoiceId, amountCentis, currency } = signed;
  return hmacSha1(accessToken + serialNumber + endpointId + nonce + invoiceId + amountCentis.toString() + currency, key);
};

export const checkVerificationSignature = ({ serialNumber, nonce, endpointId, invoiceId }: CheckSigned, key: ControlKey): string =>
  hmacSha1(serialNumber + nonce + endpointId + invoiceId, key);

/** session.checkSignature of check sale. */
export const checkSaleSignature = (signed: CheckSaleSigned, key: ControlKey): string =>
  hmacSha1(signed.serialNumber + signed.nonce + signed.endpointId + signed.invoiceId + (signed.sourceServerCardId ?? ''), key);

/** session.checkSignature of check transfer: the destination card comes before the endpoint. */
export const checkTransferSignature = (signed: CheckTransferSigned, key: ControlKey): string => {
  const { serialNumber, nonce, destinationServerCardId = '', endpointId, invoiceId, sourceServerCardId = '' } = signed;
  return hmacSha1(serialNumber + nonce + destinationServerCardId + endpointId + invoiceId + sourceServerCardId, key);
};

export const notificationSignature = ({ nonce, endpointId, invoiceId }: NotificationSigned, key: ControlKey): string =>
  hmacSha1(nonce + endpointId + invoiceId, key);

/** Ignores case. Constant time (safety, T2). */
export const isDeviceSignature = (computed: string, sent: string): boolean => isSameHex(computed, sent);
