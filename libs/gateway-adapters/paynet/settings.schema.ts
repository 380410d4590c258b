import { createPrivateKey } from 'node:crypto';
import { flag, line, mapping, numberIn, oneOf, shaped, tableOf, wholeNumberIn } from '@app/configuration/gates';
import { isControlKey, isWebhookSecret } from '@app/gateway-protocol';
import { parseUrl } from '@app/kernel';
import { REFUSAL_MEANINGS } from './translation/status';

const ID = /^\d{1,20}$/;
const CODE = /^[A-Za-z0-9_-]{1,20}$/;
const LOGIN_CHARACTERS_MAX = 20;
const URL_CHARACTERS_MAX = 1_024;
const POLL_SECONDS_MIN = 0.05;
const POLL_SECONDS_MAX = 60;
const CONNECTIONS_MAX = 1_024;
const WAITING_MAX = 100_000;
const CONNECT_SECONDS_MIN = 0.1;
const CONNECT_SECONDS_MAX = 30;

const MODULUS_BITS_MIN = 2_048;
const isRsaPrivateKey = (pem: string): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MODULUS_BITS_MIN;
  } catch {
    return false;
  }
};

const id = () => shaped('an id of digits', (text) => ID.test(text));

const schemeOf = (text: string): string | undefined => {
  const url = parseUrl(text);
  if (url === undefined || text.endsWith('/') || /[?#]/.test(text)) return undefined;
  return url.username === '' && url.password === '' ? url.protocol : undefined;
};

const baseUrl = () =>
  shaped('an http or https address without a query and without a slash at its end, of at most 1,024 characters', (text) => {
    return text.length <= URL_CHARACTERS_MAX && ['http:', 'https:'].includes(schemeOf(text) ?? '');
  });

export const paynetSettings = {
  upstream: mapping({
    baseUrl: baseUrl(),
    /** Allows http; only for a gateway on the same machine or in a private network. */
    plainHttp: flag().default(false),
    login: line(LOGIN_CHARACTERS_MAX),
    /** Exactly one: an end point has one currency, a group has several (interface, section 2.1). */
    endpoint: id().optional(),
    group: id().optional(),
    /**
     * An end point of one currency for orders of the device interface; required for transfers. Its merchantUrl there must be this gate's
     * address.
     */
    device: mapping({
      endpoint: id(),
      /** Whether the order status of Group A includes orders of the device interface, so that its `not-found` counts. */
      inGroupA: flag().default(false),
    })
      .readonly()
      .optional(),
  })
    .refine(({ endpoint, group }) => (endpoint === undefined) !== (group === undefined), 'must name an endpoint or a group, and not both')
    .refine(({ baseUrl, plainHttp }) => plainHttp || baseUrl.startsWith('https:'), {
      path: ['baseUrl'],
      error: 'must be https, unless plainHttp is true',
    })
    .readonly(),
  /**
   * Meanings of the upstream gateway's refusal codes. A code without an entry decides nothing about a known order (protocol decisions,
   * section 12).
   */
  codes: tableOf('a code of 1 to 20 letters, digits, dashes and underscores', (code) => CODE.test(code), REFUSAL_MEANINGS).default({}),
  /** Polling interval of an open order; the documentation says 3 to 5 seconds (protocol decisions, section 8). */
  pollSeconds: numberIn(POLL_SECONDS_MIN, POLL_SECONDS_MAX).default(3),
  /** Requests callbacks, so that outcomes arrive before the next poll. The upstream gateway must be able to reach `publicBaseUrl`. */
  callbacks: flag().default(false),
  /** Whether the upstream gateway honours an `Idempotency-Key`, which makes a follow-up safe to repeat (protocol decisions, section 10). */
  idempotencyKeys: flag().default(false),
  /** The version of create-card-ref used to register cards (interface, section 2.2). */
  cardRegistration: oneOf(['none', 'v2', 'v4']).default('none'),
  /** Fields signed in a recurrent payment, which the interface leaves open (section 5.1; protocol decisions, sections 5 and 11). */
  rebillControl: oneOf(['without-endpoint', 'with-endpoint']).default('without-endpoint'),
  connectionsMax: wholeNumberIn(1, CONNECTIONS_MAX).default(64),
  /** Requests that may wait in memory for a connection; further ones get `unavailable`. */
  waitingMax: wholeNumberIn(0, WAITING_MAX).default(1_000),
  connectSeconds: numberIn(CONNECT_SECONDS_MIN, CONNECT_SECONDS_MAX).default(5),
};

export const paynetSecrets = {
  controlKey: {
    isRequired: true,
    what: 'hexadecimal, at least 16 bytes, with or without dashes',
    accepts: isControlKey,
  },
  /** The upstream gateway's `callback.secret` for us. If set, a callback without its signature proves nothing. */
  callbackSecret: {
    isRequired: false,
    what: 'whsec_ and base64 of 24 to 64 bytes',
    accepts: isWebhookSecret,
  },
  /** Signs create-card-ref v4 (interface, section 5.2); the upstream gateway has the public key. */
  oauthPrivateKey: {
    isRequired: false,
    what: 'one RSA private key in PEM, of at least 2,048 bits',
    accepts: isRsaPrivateKey,
  },
} as const;
