import type { EndpointId, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { SessionDigest } from '../../domain';

/** By which a status or complete request is held against the order's perform: neither token stands in the log (interface, section 4.7). */
export const sessionDigest = (digests: Pick<ServiceDigests, 'onceKey'>, accessToken: string, token: string): SessionDigest =>
  digests.onceKey('deviceSession', [accessToken, token]) as SessionDigest;

/** Kind of the once-facts by which a nonce is good once an endpoint (architecture, rule 3). */
export const DEVICE_NONCE = 'deviceNonce';

export const nonceKey = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  merchant: MerchantLogin,
  endpointId: EndpointId,
  nonce: string,
): string => digests.onceKey(DEVICE_NONCE, [merchant, endpointId, nonce]);
