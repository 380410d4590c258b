import { constants, createPublicKey, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import type { Instant } from '@app/kernel';

const LONE_SURROGATE = /\p{Surrogate}/gu;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/** Percent-encoding of RFC 5849, section 3.6: all but the unreserved characters of RFC 3986, in upper-case hexadecimal. A form's encoding differs. */
export const oauthEncoded = (text: string): string =>
  encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The inverse; undefined where the text is not percent-encoded UTF-8. A `+` is a plus here. */
export const oauthDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

export type OauthParameter = readonly [name: string, value: string];

/** The part of a v4 request that is signed beside its OAuth parameters (interface, section 5.2). */
export interface OauthTarget {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and path from the configuration, never from the Host header; without query (protocol decisions, section 5). */
  readonly url: string;
  /** The body's parameters, decoded and not trimmed. */
  readonly parameters: Iterable<OauthParameter>;
}

const byNameThenValue = ([name, value]: OauthParameter, [otherName, otherValue]: OauthParameter): number => {
  if (name !== otherName) return name < otherName ? -1 : 1;
  if (value === otherValue) return 0;
  return value < otherValue ? -1 : 1;
};

/** RFC 5849, section 3.4.1.3.2: each name and value encoded, then sorted by byte, by name first. */
const normalised = (parameters: readonly OauthParameter[]): string =>
  parameters
    .map(([name, value]): OauthParameter => [oauthEncoded(name), oauthEncoded(value)])
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/**
 * The text that is signed (RFC 5849, section 3.4.1). @param oauth every OAuth parameter of the header but `realm` and `oauth_signature`
 */
export const oauthBaseString = ({ method, url, parameters }: OauthTarget, oauth: Iterable<OauthParameter>): string =>
  `${oauthEncoded(method)}&${oauthEncoded(url)}&${oauthEncoded(normalised([...parameters, ...oauth]))}`;

/** The one method and the one version there are (interface, section 5.2). */
export const OAUTH_METHOD = 'RSA-SHA256';
export const OAUTH_VERSION = '1.0';
/** How far a request's time may lie from ours, either way (protocol decisions, section 5). */
export const OAUTH_WINDOW_MS = 300_000;
/** Limit of an Authorization header: a signature of the largest key that the configuration accepts, encoded, and room for the rest. */
export const AUTHORIZATION_LENGTH_MAX = 8_192;
const PARAMETERS_MAX = 32;
const NONCE_LENGTH_MAX = 255;

const REALM = 'realm';
const SCHEME = /^OAuth[ \t]+/i;
const PARAMETER = /[ \t]*([A-Za-z0-9._~%-]{1,64})="([^"\\]*)"[ \t]*(,|$)/y;
const SECONDS = /^[1-9]\d{0,11}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** The claims of an Authorization header, unproven until the signature is verified. */
export interface OauthClaim {
  readonly consumerKey: string;
  readonly nonce: string;
  /** Whole seconds since the epoch. */
  readonly timestampSeconds: number;
  readonly signature: Uint8Array;
  /** All that the signature covers: every parameter but `realm` and the signature itself. */
  readonly signed: readonly OauthParameter[];
}

/** The header's parameters, decoded; undefined where it breaks the grammar of RFC 5849, section 3.5.1, or names one twice. */
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
    // A realm is any quoted text (RFC 2617); it is passed over.
    const value = rawName === REALM ? rawValue : oauthDecoded(rawValue);
    if (name === undefined || value === undefined || found.has(name)) return undefined;
    found.set(name, value);
    if (end === '') return found;
  }
  return undefined;
};

/** Base64 in its one canonical form: another text for the same bytes is another header. */
const signatureBytes = (text: string): Uint8Array | undefined => {
  if (text === '') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

const isOauth = (name: string): boolean => name.startsWith('oauth_');

/**
 * The claim of a header that keeps the interface, section 5.2: each OAuth parameter once, this method and this version, nothing else beside `realm`.
 * A token would be of no use here, so a header with a token is refused (safety, T8). Undefined for every other header.
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

/** @param realm where given, goes first and is not signed */
export const writeAuthorization = (parameters: Iterable<OauthParameter>, realm?: string): string =>
  `OAuth ${[...(realm === undefined ? [] : [[REALM, realm] as const]), ...parameters]
    .map(([name, value]) => `${oauthEncoded(name)}="${oauthEncoded(value)}"`)
    .join(', ')}`;

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
