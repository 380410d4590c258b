import type { MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { KeyedDigest } from '../domain/terms';

/** Replaces a value that is only compared, in events; each kind has a key of its own, and each product its own digests. */
export type DigestKind = 'access token' | 'serial number' | 'nonce' | 'session token' | 'consumer' | 'random sum';

export const digestOf = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  kind: DigestKind,
  merchant: MerchantLogin,
  ...parts: readonly string[]
): KeyedDigest => digests.onceKey(`merchant desk ${kind}`, [merchant, ...parts]) as KeyedDigest;
