import { hmacSha1 } from '../group-a/control';
import { type ControlKey, isSameHex } from '../shared/control-key';

// Upper-case hexadecimal HMAC-SHA1 over values joined without separators, in the order of the interface, section 5.3.

/** The values that session.signature covers for a verification. */
export interface VerificationSigned {
  readonly accessToken: string;
  /** consumer.device.serialNumber */
  readonly serialNumber: string;
  readonly endpointId: string;
  readonly nonce: string;
  readonly invoiceId: string;
  readonly currency: string;
}

/** The values that session.signature covers for a sale or transfer. */
export interface PaymentSigned extends VerificationSigned {
  /** Minor units. */
  readonly amountCentis: number;
}

export interface NotificationSigned {
  readonly nonce: string;
  readonly endpointId: string;
  readonly invoiceId: string;
}

/** The values that every checkSignature of a check covers: the verifier's own, never those of the answer (safety, section 3.1). */
export interface CheckSigned extends NotificationSigned {
  readonly serialNumber: string;
}

export interface CheckSaleSigned extends CheckSigned {
  /** sourceOfFunds.reference.serverCardId, where the answer has one. */
  readonly sourceServerCardId?: string | undefined;
}

export interface CheckTransferSigned extends CheckSaleSigned {
  /** destinationOfFunds.reference.serverCardId, where the answer has one. */
  readonly destinationServerCardId?: string | undefined;
}

/** session.signature of initiate verification. */
export const verificationSignature = (signed: VerificationSigned, key: ControlKey): string =>
  hmacSha1(signed.accessToken + signed.serialNumber + signed.endpointId + signed.nonce + signed.invoiceId + signed.currency, key);

/** session.signature of initiate sale and initiate transfer: they sign alike. @throws RangeError for an amount that is no safe integer */
export const paymentSignature = (signed: PaymentSigned, key: ControlKey): string => {
  if (!Number.isSafeInteger(signed.amountCentis)) throw new RangeError('an amount that is no safe integer');
  const { accessToken, serialNumber, endpointId, nonce, invoiceId, amountCentis, currency } = signed;
  return hmacSha1(accessToken + serialNumber + endpointId + nonce + invoiceId + amountCentis.toString() + currency, key);
};

/** session.checkSignature of check verification. */
export const checkVerificationSignature = ({ serialNumber, nonce, endpointId, invoiceId }: CheckSigned, key: ControlKey): string =>
  hmacSha1(serialNumber + nonce + endpointId + invoiceId, key);

/** session.checkSignature of check sale. */
export const checkSaleSignature = (signed: CheckSaleSigned, key: ControlKey): string =>
  hmacSha1(signed.serialNumber + signed.nonce + signed.endpointId + signed.invoiceId + (signed.sourceServerCardId ?? ''), key);

/** session.checkSignature of check transfer: the destination's card stands before the endpoint. */
export const checkTransferSignature = (signed: CheckTransferSigned, key: ControlKey): string => {
  const { serialNumber, nonce, destinationServerCardId = '', endpointId, invoiceId, sourceServerCardId = '' } = signed;
  return hmacSha1(serialNumber + nonce + destinationServerCardId + endpointId + invoiceId + sourceServerCardId, key);
};

/** session.checkSignature of any card mapping notification. */
export const notificationSignature = ({ nonce, endpointId, invoiceId }: NotificationSigned, key: ControlKey): string =>
  hmacSha1(nonce + endpointId + invoiceId, key);

/** Whether the signature that was sent is the one computed; in either case of letters, in constant time (safety, T2). */
export const isDeviceSignature = (computed: string, sent: string): boolean => isSameHex(computed, sent);
