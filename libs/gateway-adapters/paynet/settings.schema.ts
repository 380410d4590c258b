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

/** http, https or nothing: a base URL without a query, a fragment or a user, and without a slash at its end. */
const schemeOf = (text: string): string | undefined => {
  const url = parseUrl(text);
  if (url === undefined || text.endsWith('/') || /[?#]/.test(text)) return undefined;
  return url.username === '' && url.password === '' ? url.protocol : undefined;
};

const baseUrl = () =>
  shaped('an http or https address without a query and without a slash at its end, of at most 1,024 characters', (text) => {
    return text.length <= URL_CHARACTERS_MAX && ['http:', 'https:'].includes(schemeOf(text) ?? '');
  });

/** The settings that only a gate of an upstream gateway has. */
export const paynetSettings = {
  upstream: mapping({
    /** Everything before `/api/v2`. */
    baseUrl: baseUrl(),
    /** Allows a base URL of http; only for a gateway on the same machine or in a network of one's own. */
    plainHttp: flag().default(false),
    login: line(LOGIN_CHARACTERS_MAX),
    /** One of the two: an end point has one currency, a group has several (interface, section 2.1). */
    endpoint: id().optional(),
    group: id().optional(),
    /**
     * Where the upstream gateway takes orders of the device interface, an end point of one currency: verifications and sales of apps go there as such, and
     * transfers can be made at all. Its merchantUrl there must be this gate's address here.
     */
    device: mapping({
      endpoint: id(),
      /** Whether its order status knows orders of the device interface too, so that it may say that there is none. */
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
  /** What the upstream gateway's refusal codes mean; a code without an entry decides nothing about a known order (protocol decisions, section 12). */
  codes: tableOf('a code of 1 to 20 letters, digits, dashes and underscores', (code) => CODE.test(code), REFUSAL_MEANINGS).default({}),
  /** How often an order that is under way is asked about; the documentation says 3 to 5 seconds (protocol decisions, section 8). */
  pollSeconds: numberIn(POLL_SECONDS_MIN, POLL_SECONDS_MAX).default(3),
  /**
   * Asks the upstream gateway to call back, and takes its callbacks: the status of an order is read at once, not only by the next question. It must let us
   * be called at `publicBaseUrl`.
   */
  callbacks: flag().default(false),
  /** Whether the upstream gateway honours an `Idempotency-Key`, which makes a follow-up safe to repeat (protocol decisions, section 10). */
  idempotencyKeys: flag().default(false),
  /** By which version of create-card-ref cards get a reference of the upstream gateway, by which it charges them (interface, section 2.2). */
  cardRegistration: oneOf(['none', 'v2', 'v4']).default('none'),
  /** What of the recurrent payment is signed, which the interface leaves open (section 5.1; protocol decisions, sections 5 and 11). */
  rebillControl: oneOf(['without-endpoint', 'with-endpoint']).default('without-endpoint'),
  connectionsMax: wholeNumberIn(1, CONNECTIONS_MAX).default(64),
  /** Requests beyond the connections wait in memory, up to this number; to any more the gate is unavailable. */
  waitingMax: wholeNumberIn(0, WAITING_MAX).default(1_000),
  connectSeconds: numberIn(CONNECT_SECONDS_MIN, CONNECT_SECONDS_MAX).default(5),
};

export const paynetSecrets = {
  controlKey: {
    isRequired: true,
    what: 'hexadecimal, at least 16 bytes, with or without dashes',
    accepts: isControlKey,
  },
  /** The `callback.secret` that the upstream gateway has for us; with it, a callback without its signature proves nothing. */
  callbackSecret: {
    isRequired: false,
    what: 'whsec_ and base64 of 24 to 64 bytes',
    accepts: isWebhookSecret,
  },
  /** Signs create-card-ref v4 (interface, section 5.2); the upstream gateway has its public half. */
  oauthPrivateKey: {
    isRequired: false,
    what: 'one RSA private key in PEM, of at least 2,048 bits',
    accepts: isRsaPrivateKey,
  },
} as const;
