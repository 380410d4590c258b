import { randomUUID, type KeyObject } from 'node:crypto';
import { signedAuthorization, type OauthParameter } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import { seededRandom } from '@app/testing';
import type { Dice } from './dice';

export interface SignedRequest {
  readonly url: string;
  readonly parameters: readonly OauthParameter[];
  readonly consumerKey: string;
  readonly privateKey: KeyObject;
}

const DAY_MS = 86_400_000;

const signed = ({ url, parameters, ...signer }: SignedRequest, now = Date.now(), nonce: string = randomUUID()): string =>
  signedAuthorization({ method: 'POST', url, parameters }, { ...signer, nonce, now: now as Instant });

/** A header that proves who sends the request (interface, section 5.2). */
export const wellFormedAuthorization = (request: SignedRequest): readonly string[] => [signed(request)];

type AuthorizationFault = (dice: Dice, request: SignedRequest) => readonly string[];

const changed =
  (change: (header: string, dice: Dice) => string): AuthorizationFault =>
  (dice, request) => [change(signed(request), dice)];

/** Variations of one correct header (safety, T8). Each value replaces all Authorization headers. */
const FAULTS: Readonly<Record<string, AuthorizationFault>> = {
  none: () => [],
  twice: (_dice, request) => [signed(request), signed(request)],
  'another character': changed((header, dice) => {
    const at = dice.below(header.length);
    return header.slice(0, at) + String.fromCharCode(32 + dice.below(95)) + header.slice(at + 1);
  }),
  'cut off': changed((header, dice) => header.slice(0, dice.below(header.length))),
  'another scheme': changed((header, dice) => header.replace(/^OAuth/, dice.pick(['oauth', 'Basic', 'OAuth2', '', 'OAuth\t']))),
  'another method': changed((header, dice) => header.replace('RSA-SHA256', dice.pick(['HMAC-SHA1', 'PLAINTEXT', 'RSA-SHA1', '']))),
  'another version': changed((header, dice) => header.replace('"1.0"', dice.pick(['"2.0"', '""', '"1.0%00"']))),
  'a parameter twice': changed((header) => `${header}, oauth_nonce="again"`),
  'a parameter that is unknown': changed(
    (header, dice) => `${header}, ${dice.pick(['oauth_x="1"', 'x="1"', 'oauth_token="t"', '__proto__="1"'])}`,
  ),
  'a realm': changed((header) => header.replace('OAuth ', 'OAuth realm="a,b=c", ')),
  'broken grammar': changed((header, dice) => header + dice.pick([',', ', ', ', a', ', a=', ', a="', ', a="%"', ', a="%ff"', ', a="\\""'])),
  'many parameters': changed((header) => `${header}${', a="b"'.repeat(100)}`),
  'a signature that is no base64': changed((header) => header.replace(/oauth_signature="[^"]{9}/, 'oauth_signature="*!-%00_=')),
  'no signature': changed((header) => header.replace(/oauth_signature="[^"]*"/, 'oauth_signature=""')),
  'an hour of another day': (dice, request) => [signed(request, Date.now() + (dice.chance(0.5) ? DAY_MS : -DAY_MS))],
  'a time that is none': changed((header, dice) =>
    header.replace(/(oauth_timestamp=")\d+/, `$1${dice.pick(['', '-1', '1e9', '9'.repeat(30), '0x1'])}`),
  ),
  'a nonce that others had': (_dice, request) => [signed(request, Date.now(), 'the-same-again')],
  'an odd nonce': (dice, request) => [signed(request, Date.now(), dice.pick(['', ' ', '\u{1f4b3}', 'x'.repeat(256), 'a\nb', "' OR 1=1"]))],
  'another consumer': (dice, request) => [signed({ ...request, consumerKey: dice.pick(['', 'nobody', 'other', 'ACME', '__proto__']) })],
  'another address': (_dice, request) => [signed({ ...request, url: `${request.url}1` })],
  'other fields': (_dice, request) => [signed({ ...request, parameters: [...request.parameters, ['x', 'y']] })],
  'nothing but characters': (dice) => [
    Array.from(seededRandom(dice.below(1e9)).bytes(200), (byte) => String.fromCharCode(33 + (byte % 94))).join(''),
  ],
};

const NAMES = Object.keys(FAULTS);

export const faultyAuthorization = (dice: Dice, request: SignedRequest): { readonly headers: readonly string[]; readonly what: string } => {
  const what = dice.pick(NAMES);
  return { headers: FAULTS[what]?.(dice, request) ?? [], what };
};
