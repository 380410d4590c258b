import { constants, createPublicKey, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import type { Instant } from '@app/kernel';
import { OAUTH_METHOD, OAUTH_VERSION, OAUTH_WINDOW_MS, writeAuthorization, type OauthClaim } from './authorization-header';
import { oauthBaseString, type OauthParameter, type OauthTarget } from './base-string';

/** RSASSA-PKCS1-v1_5 with SHA-256 (protocol decisions, section 5). */
const DIGEST = 'sha256';
const padding = constants.RSA_PKCS1_PADDING;

/** Whether this key signed this claim for this request. The caller looks at the time and takes the nonce. */
export const isOauthSigned = ({ signed, signature }: OauthClaim, target: OauthTarget, publicKey: KeyObject): boolean =>
  verify(DIGEST, Buffer.from(oauthBaseString(target, signed)), { key: publicKey, padding }, signature);

/** Within 300 s of our clock, either way. */
export const isOauthTimely = ({ timestampSeconds }: OauthClaim, now: Instant): boolean =>
  Math.abs(now - timestampSeconds * 1_000) <= OAUTH_WINDOW_MS;

export interface OauthSigner {
  /** The merchant's login. */
  readonly consumerKey: string;
  readonly privateKey: KeyObject;
  /** Never used before by this consumer. */
  readonly nonce: string;
  readonly now: Instant;
  readonly realm?: string;
}

/** The Authorization header of a v4 request, for those who call (interface, section 5.2). */
export const signedAuthorization = (target: OauthTarget, { consumerKey, privateKey, nonce, now, realm }: OauthSigner): string => {
  const parameters: readonly OauthParameter[] = [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', OAUTH_METHOD],
    ['oauth_timestamp', Math.floor(now / 1_000).toString()],
    ['oauth_version', OAUTH_VERSION],
  ];
  const signature = sign(DIGEST, Buffer.from(oauthBaseString(target, parameters)), { key: privateKey, padding });
  return writeAuthorization([...parameters, ['oauth_signature', signature.toString('base64')]], realm);
};

/**
 * Replaces the key of an unknown signer of v4 requests: the same work is done, and no signature fits (safety, T10).
 * @param modulusBits a merchant's key may have any number of them; a verification costs by their number
 */
export const decoyOauthKey = (modulusBits: number): KeyObject => {
  const modulus = randomBytes(Math.ceil(modulusBits / 8));
  const highest = (modulusBits - 1) % 8;
  // It has full length and is odd like a modulus; its factors are unknown.
  modulus[0] = ((modulus[0] ?? 0) & ((1 << highest) - 1)) | (1 << highest);
  const last = modulus.length - 1;
  modulus[last] = (modulus[last] ?? 0) | 0x01;
  return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' });
};
