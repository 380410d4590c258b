import { createHmac } from 'node:crypto';
import { controlKeyBytes, isSameSecret, type ControlKey, type DeviceOperation } from '@app/gateway-protocol';

/** Who we are at the upstream gateway's device interface: the app and the merchant's own server at once. */
export interface DeviceAccount {
  /** An end point of one currency: Group B knows no groups (interface, section 2.1). */
  readonly endpointId: string;
  readonly controlKey: ControlKey;
}

/** The values of one order's session that the merchant server's half makes and later knows again (interface, section 5.3). */
export interface DeviceSession {
  readonly accessToken: string;
  readonly nonce: string;
}

/** 48 bytes, which are 64 characters. */
const MAC = 'sha384';
const MAC_CHARACTERS = 64;

/** Keyed, over a label of its own and each part after its length, in the alphabet of such texts (protocol decisions, section 8). */
const derived = ({ controlKey }: DeviceAccount, label: string, parts: readonly string[]): string => {
  const mac = createHmac(MAC, controlKeyBytes(controlKey)).update(`paynet-device ${label}`);
  for (const part of parts) mac.update(`\0${Buffer.byteLength(part)}\0${part}`);
  return mac.digest('base64').replaceAll('+', '^').replaceAll('/', '$');
};

/** 64 characters and the invoice, so that a notification, which names no invoice, still tells its own. */
export const accessTokenOf = (account: DeviceAccount, invoiceId: string): string =>
  derived(account, 'access-token', [account.endpointId, invoiceId]) + invoiceId;

/** Bound to the operation and to the device, which the upstream gateway repeats beside it. */
const nonceOf = (account: DeviceAccount, operation: DeviceOperation, invoiceId: string, serialNumber: string): string =>
  derived(account, 'nonce', [account.endpointId, operation, invoiceId, serialNumber]);

/** The session of an order at the upstream gateway. It is derived and kept nowhere, so that any process knows it. */
export const deviceSession = (
  account: DeviceAccount,
  operation: DeviceOperation,
  invoiceId: string,
  serialNumber: string,
): DeviceSession => ({
  accessToken: accessTokenOf(account, invoiceId),
  nonce: nonceOf(account, operation, invoiceId, serialNumber),
});

/** The invoice of an access token that is ours; undefined for every other text. */
export const invoiceOfAccessToken = (account: DeviceAccount, accessToken: string): string | undefined => {
  const invoiceId = accessToken.slice(MAC_CHARACTERS);
  return isSameSecret(accessTokenOf(account, invoiceId), accessToken) ? invoiceId : undefined;
};

export const isOwnNonce = (
  account: DeviceAccount,
  operation: DeviceOperation,
  { invoiceId, serialNumber, nonce }: { readonly invoiceId: string; readonly serialNumber: string; readonly nonce: string },
): boolean => isSameSecret(nonceOf(account, operation, invoiceId, serialNumber), nonce);
