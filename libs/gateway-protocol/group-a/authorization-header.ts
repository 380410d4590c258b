import { oauthDecoded, oauthEncoded } from './oauth-encoding';
import type { OauthParameter } from './base-string';

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
