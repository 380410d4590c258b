import type { EndpointId, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { SessionDigest } from '../../domain';

/** The digest by which a status or complete request is matched with the order's perform; neither token is in the log (interface, section 4.7). */
export const sessionDigest = (digests: Pick<ServiceDigests, 'onceKey'>, accessToken: string, token: string): SessionDigest =>
  digests.onceKey('deviceSession', [accessToken, token]) as SessionDigest;

/** The kind of unique claim by which a nonce is usable once at an endpoint (architecture, rule 3). */
export const DEVICE_NONCE = 'deviceNonce';

export const nonceKey = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  { merchant, endpointId, nonce }: { readonly merchant: MerchantLogin; readonly endpointId: EndpointId; readonly nonce: string },
): string => digests.onceKey(DEVICE_NONCE, [merchant, endpointId, nonce]);
