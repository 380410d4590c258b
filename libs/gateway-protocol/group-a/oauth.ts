import { constants, createPublicKey, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import type { Instant } from '@app/kernel';

const LONE_SURROGATE = /\p{Surrogate}/gu;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/** Percent-encoding of RFC 5849, section 3.6. It differs from the encoding of forms. */
export const oauthEncoded = (text: string): string =>
  encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The inverse; undefined for invalid percent-encoding or UTF-8. `+` is a literal plus. */
export const oauthDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

export type OauthParameter = readonly [name: string, value: string];

/** The signed part of a v4 request besides its OAuth parameters (interface, section 5.2). */
export interface OauthTarget {
  readonly method: string;
  /** From the configuration, never from the Host header; without query (protocol decisions, section 5). */
  readonly url: string;
  readonly parameters: Iterable<OauthParameter>;
}

const byNameThenValue = ([name, value]: OauthParameter, [otherName, otherValue]: OauthParameter): number => {
  if (name !== otherName) return name < otherName ? -1 : 1;
  if (value === otherValue) return 0;
  return value < otherValue ? -1 : 1;
};

/** RFC 5849, section 3.4.1.3.2: encoded, then sorted by byte. */
const normalised = (parameters: readonly OauthParameter[]): string =>
  parameters
    .map(([name, value]): OauthParameter => [oauthEncoded(name), oauthEncoded(value)])
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/**
 * The signed text (RFC 5849, section 3.4.1).
 * @param oauth the header's OAuth parameters except `realm` and `oauth_signature`
 */
export const oauthBaseString = ({ method, url, parameters }: OauthTarget, oauth: Iterable<OauthParameter>): string =>
  `${oauthEncoded(method)}&${oauthEncoded(url)}&${oauthEncoded(normalised([...parameters, ...oauth]))}`;

export const OAUTH_METHOD = 'RSA-SHA256';
export const OAUTH_VERSION = '1.0';
/** Maximum difference to our clock in either direction (protocol decisions, section 5). */
export const OAUTH_WINDOW_MS = 300_000;
/** Fits a signature of the largest accepted key. */
export const AUTHORIZATION_LENGTH_MAX = 8_192;
const PARAMETERS_MAX = 32;
const NONCE_LENGTH_MAX = 255;

const REALM = 'realm';
const SCHEME = /^OAuth[ \t]+/i;
const PARAMETER = /[ \t]*([A-Za-z0-9._~%-]{1,64})="([^"\\]*)"[ \t]*(,|$)/y;
const SECONDS = /^[1-9]\d{0,11}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Not authenticated until the signature is verified. */
export interface OauthClaim {
  readonly consumerKey: string;
  readonly nonce: string;
  readonly timestampSeconds: number;
  readonly signature: Uint8Array;
  readonly signed: readonly OauthParameter[];
}

/** Decoded parameters; undefined for invalid grammar (RFC 5849, section 3.5.1) or a duplicate name. */
const parametersOf = (header: string): ReadonlyMap<string, string> | undefined => {
  const scheme = header.length <= AUTHORIZATION_LENGTH_MAX ? SCHEME.exec(header) : null;
  if (scheme === null) return undefined;
  const found = new Map<string, string>();
  const pattern = new RegExp(PARAMETER);
  pattern.lastIndex = scheme[0].length;
  for (let count = 0; count < PARAMETERS_MAX; count++) {
    const match = pattern.exec(header);
    if (match === null) return undefined;
    const [, rawName = '', rawValue = '', end] = match;
    const name = oauthDecoded(rawName);
    // A realm is any quoted text (RFC 2617) and is ignored.
    const value = rawName === REALM ? rawValue : oauthDecoded(rawValue);
    if (name === undefined || value === undefined || found.has(name)) return undefined;
    found.set(name, value);
    if (end === '') return found;
  }
  return undefined;
};

/** Canonical base64 only, so that one signature has one spelling. */
const signatureBytes = (text: string): Uint8Array | undefined => {
  if (text === '') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

const isOauth = (name: string): boolean => name.startsWith('oauth_');

/**
 * Accepts each OAuth parameter exactly once and nothing else except `realm` (interface, section 5.2). A header with a
 * token is refused (safety, T8). Undefined if invalid.
 */
export const parseAuthorization = (header: string): OauthClaim | undefined => {
  const found = parametersOf(header);
  if (found === undefined) return undefined;
  const consumerKey = found.get('oauth_consumer_key') ?? '';
  const nonce = found.get('oauth_nonce') ?? '';
  const timestamp = found.get('oauth_timestamp') ?? '';
  const signature = signatureBytes(found.get('oauth_signature') ?? '');
  const isPlain =
    found.get('oauth_signature_method') === OAUTH_METHOD &&
    (found.get('oauth_version') ?? OAUTH_VERSION) === OAUTH_VERSION &&
    (found.get('oauth_token') ?? '') === '' &&
    [...found.keys()].every((name) => isOauth(name) || name === REALM);
  const isNonce = nonce !== '' && nonce.length <= NONCE_LENGTH_MAX && !CONTROL_CHARACTER.test(nonce);
  if (!isPlain || !isNonce || consumerKey === '' || signature === undefined || !SECONDS.test(timestamp)) return undefined;
  const signed = [...found].filter(([name]) => name !== REALM && name !== 'oauth_signature');
  return { consumerKey, nonce, timestampSeconds: Number(timestamp), signature, signed };
};

export const writeAuthorization = (parameters: Iterable<OauthParameter>, realm?: string): string =>
  `OAuth ${[...(realm === undefined ? [] : [[REALM, realm] as const]), ...parameters]
    .map(([name, value]) => `${oauthEncoded(name)}="${oauthEncoded(value)}"`)
    .join(', ')}`;

const DIGEST = 'sha256';
const padding = constants.RSA_PKCS1_PADDING;

/** Verifies the signature only. The caller checks the time and claims the nonce. */
export const isOauthSigned = ({ signed, signature }: OauthClaim, target: OauthTarget, publicKey: KeyObject): boolean =>
  verify(DIGEST, Buffer.from(oauthBaseString(target, signed)), { key: publicKey, padding }, signature);

export const isOauthTimely = ({ timestampSeconds }: OauthClaim, now: Instant): boolean =>
  Math.abs(now - timestampSeconds * 1_000) <= OAUTH_WINDOW_MS;

export interface OauthSigner {
  readonly consumerKey: string;
  readonly privateKey: KeyObject;
  /** Must be new for this consumer. */
  readonly nonce: string;
  readonly now: Instant;
  readonly realm?: string;
}

/** The Authorization header of a v4 request, for clients (interface, section 5.2). */
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
 * A key for unknown signers of v4 requests, so that verification takes as long and always fails (safety, T10).
 * @param modulusBits the merchant's key size, because the cost depends on it
 */
export const decoyOauthKey = (modulusBits: number): KeyObject => {
  const modulus = randomBytes(Math.ceil(modulusBits / 8));
  const highest = (modulusBits - 1) % 8;
  // Full length and odd like a real modulus; its factors are unknown.
  modulus[0] = ((modulus[0] ?? 0) & ((1 << highest) - 1)) | (1 << highest);
  const last = modulus.length - 1;
  modulus[last] = (modulus[last] ?? 0) | 0x01;
  return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' });
};
