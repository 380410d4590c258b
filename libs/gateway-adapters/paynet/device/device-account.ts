import { createHmac } from 'node:crypto';
import { controlKeyBytes, isSameSecret, type ControlKey, type DeviceOperation } from '@app/gateway-protocol';

/** Our account at the upstream gateway's device interface. We act both as the app and as the merchant's server. */
export interface DeviceAccount {
  /** An end point of one currency: Group B has no end point groups (interface, section 2.1). */
  readonly endpointId: string;
  readonly controlKey: ControlKey;
}

export interface DeviceSession {
  readonly accessToken: string;
  readonly nonce: string;
}

/** 48 bytes, or 64 characters in base64. */
const MAC = 'sha384';
const MAC_CHARACTERS = 64;

/** A MAC over a label and length-prefixed parts, in the interface's alphabet (protocol decisions, section 8). */
const derived = ({ controlKey }: DeviceAccount, label: string, parts: readonly string[]): string => {
  const mac = createHmac(MAC, controlKeyBytes(controlKey)).update(`paynet-device ${label}`);
  for (const part of parts) mac.update(`\0${Buffer.byteLength(part)}\0${part}`);
  return mac.digest('base64').replaceAll('+', '^').replaceAll('/', '$');
};

/** The 64-character MAC, then the invoice, because a notification does not contain the invoice. */
export const accessTokenOf = (account: DeviceAccount, invoiceId: string): string =>
  derived(account, 'access-token', [account.endpointId, invoiceId]) + invoiceId;

const nonceOf = (account: DeviceAccount, operation: DeviceOperation, invoiceId: string, serialNumber: string): string =>
  derived(account, 'nonce', [account.endpointId, operation, invoiceId, serialNumber]);

/** Derived and never stored, so that any process can compute it. */
export const deviceSession = (
  account: DeviceAccount,
  operation: DeviceOperation,
  invoiceId: string,
  serialNumber: string,
): DeviceSession => ({
  accessToken: accessTokenOf(account, invoiceId),
  nonce: nonceOf(account, operation, invoiceId, serialNumber),
});

export const invoiceOfAccessToken = (account: DeviceAccount, accessToken: string): string | undefined => {
  const invoiceId = accessToken.slice(MAC_CHARACTERS);
  return isSameSecret(accessTokenOf(account, invoiceId), accessToken) ? invoiceId : undefined;
};

export const isOwnNonce = (
  account: DeviceAccount,
  operation: DeviceOperation,
  { invoiceId, serialNumber, nonce }: { readonly invoiceId: string; readonly serialNumber: string; readonly nonce: string },
): boolean => isSameSecret(nonceOf(account, operation, invoiceId, serialNumber), nonce);
