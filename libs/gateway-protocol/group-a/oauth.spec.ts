import { generateKeyPairSync, privateEncrypt, constants, createHash, type KeyObject } from 'node:crypto';
import * as fc from 'fast-check';
import { timesPerDoubling } from '@app/testing';
import { codePoint } from '@app/testing/any-text';
import type { Instant } from '@app/kernel';
import {
  parseAuthorization,
  writeAuthorization,
  oauthBaseString,
  type OauthParameter,
  type OauthTarget,
  oauthEncoded,
  isOauthSigned,
  isOauthTimely,
  decoyOauthKey,
  signedAuthorization,
} from './oauth';

/** Linear growth doubles the time, quadratic growth multiplies it by four. */
const TIMES_MAX = 3;
const LENGTH = 102_400;

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const { publicKey, privateKey } = keyPair();
const NOW = 1_700_000_000_000 as Instant;
const TARGET: OauthTarget = {
  method: 'POST',
  url: 'https://gateway.example/paynet/api/v4/create-card-ref/1001',
  parameters: [
    ['client_orderid', 'inv 1'],
    ['orderid', 'p0a1b2c3d4e5f6gr'],
  ],
};
const SIGNER = { consumerKey: 'acme', privateKey, nonce: 'n-1', now: NOW };
const header = signedAuthorization(TARGET, SIGNER);
const isVerified = (text: string, target: OauthTarget = TARGET, key: KeyObject = publicKey): boolean => {
  const claim = parseAuthorization(text);
  return claim !== undefined && isOauthSigned(claim, target, key);
};

describe('the base string (RFC 5849, section 3.4.1)', () => {
  it('equals the known answer of protocol decisions, section 5 [W301, W310]', () => {
    const target = {
      method: 'POST',
      url: 'https://gateway.example/paynet/api/v4/sale/123',
      parameters: [['amount', '1.00'], ['client_orderid', 'hf-1']] as const, // prettier-ignore
    };
    expect(oauthBaseString(target, [['oauth_consumer_key', 'merchant']])).toBe(
      'POST&https%3A%2F%2Fgateway.example%2Fpaynet%2Fapi%2Fv4%2Fsale%2F123&amount%3D1.00%26client_orderid%3Dhf-1%26oauth_consumer_key%3Dmerchant',
    );
  });

  it('is sorted and encoded as in the example of RFC 5849, section 3.4.1.3.2 [W301]', () => {
    const parameters: OauthParameter[] = [
      ['b5', '=%3D'],
      ['a3', 'a'],
      ['c@', ''],
      ['a2', 'r b'],
      ['c2', ''],
      ['a3', '2 q'],
    ];
    const oauth: OauthParameter[] = [
      ['oauth_consumer_key', '9djdj82h48djs9d2'],
      ['oauth_token', 'kkk9d7dh3k39sjv7'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', '137131201'],
      ['oauth_nonce', '7d8f3e4a'],
    ];
    expect(oauthBaseString({ method: 'POST', url: 'http://example.com/request', parameters }, oauth)).toBe(
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    );
  });

  it.each([[['1', '2', '3']], [['3', '2', '1']], [['2', '3', '1']]])('sorts repeated names by value: %j', (values) => {
    const parameters = values.map((value): OauthParameter => ['a', value]);
    expect(oauthBaseString({ method: 'GET', url: 'u', parameters }, [])).toBe('GET&u&a%3D1%26a%3D2%26a%3D3');
  });

  it('leaves only the unreserved characters of RFC 3986 unescaped', () => {
    expect(oauthEncoded("-._~ aZ09!*'()+&=/é€💳")).toBe('-._~%20aZ09%21%2A%27%28%29%2B%26%3D%2F%C3%A9%E2%82%AC%F0%9F%92%B3');
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(oauthEncoded(text)).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(oauthEncoded(text))).toBe(text.toWellFormed());
      }),
    );
  });

  it('replaces a lone surrogate with U+FFFD because UTF-8 cannot encode it', () => {
    expect(oauthEncoded('a\ud800b\udc00')).toBe('a%EF%BF%BDb%EF%BF%BD');
  });

  it('differs for different requests, so that parameters cannot be confused', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '=', '&', '%', '2', '6', ' ', '+'), minLength: 1, maxLength: 4 });
    const pairs = fc.uniqueArray(fc.tuple(name, name), { maxLength: 3, selector: ([first]) => first });
    const sorted = (list: readonly OauthParameter[]) => JSON.stringify([...list].sort(([one], [other]) => (one < other ? -1 : 1)));
    fc.assert(
      fc.property(pairs, pairs, (one, other) => {
        const textOf = (parameters: readonly OauthParameter[]) => oauthBaseString({ ...TARGET, parameters }, []);
        expect(textOf(one) === textOf(other)).toBe(sorted(one) === sorted(other));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a signed request (interface, section 5.2)', () => {
  it('verifies under its key and has the header format of the interface [W138]', () => {
    expect(isVerified(header)).toBe(true);
    expect(header).toMatch(
      /^OAuth oauth_consumer_key="acme", oauth_nonce="n-1", oauth_signature_method="RSA-SHA256", oauth_timestamp="1700000000", oauth_version="1\.0", oauth_signature="[A-Za-z0-9%]+"$/,
    );
    expect(parseAuthorization(header)).toMatchObject({ consumerKey: 'acme', nonce: 'n-1', timestampSeconds: 1_700_000_000 });
  });

  it('verifies for any parameters, realm and nonce', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    const parameters = fc.uniqueArray(fc.tuple(text, text), { maxLength: 6, selector: ([name]) => name });
    fc.assert(
      fc.property(parameters, text, fc.stringMatching(/^[!-~]{1,40}$/), (list, realm, nonce) => {
        const target = { ...TARGET, parameters: list };
        const signed = signedAuthorization(target, { ...SIGNER, nonce, realm });
        expect(isVerified(signed, target)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it.each<[string, OauthTarget]>([
    ['another method', { ...TARGET, method: 'GET' }],
    ['another host', { ...TARGET, url: TARGET.url.replace('gateway', 'evil') }],
    ['another scheme', { ...TARGET, url: TARGET.url.replace('https', 'http') }],
    ['another entry point', { ...TARGET, url: `${TARGET.url}0` }],
    ['another value', { ...TARGET, parameters: [['client_orderid', 'inv 1 '], ['orderid', 'p0a1b2c3d4e5f6gr']] }], // prettier-ignore
    ['a parameter more', { ...TARGET, parameters: [...TARGET.parameters, ['login', 'acme']] }],
    ['a parameter less', { ...TARGET, parameters: [['client_orderid', 'inv 1']] }],
  ])('fails verification for %s [W139]', (_what, target) => expect(isVerified(header, target)).toBe(false));

  it('fails verification under another key', () => {
    expect(isVerified(header, TARGET, keyPair().publicKey)).toBe(false);
  });

  it.each([2_048, 2_049, 3_072, 4_095, 16_384])('fails verification under a decoy key of %i bits', (modulusLength) => {
    const key = decoyOauthKey(modulusLength);
    expect(isVerified(header, TARGET, key)).toBe(false);
    expect(key.asymmetricKeyDetails).toStrictEqual({ modulusLength, publicExponent: 65_537n });
  });

  it('has decoy keys that are odd, of full length and otherwise random', () => {
    const BITS = 515;
    const moduli = Array.from({ length: 64 }, () => {
      const { n = '' } = decoyOauthKey(BITS).export({ format: 'jwk' });
      return BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
    });
    const seenAt = (bit: number): string => [...new Set(moduli.map((modulus) => (modulus >> BigInt(bit)) & 1n))].sort().join();
    expect(moduli.every((modulus) => modulus >> BigInt(BITS - 1) === 1n)).toBe(true);
    expect(Array.from({ length: BITS }, (_, bit) => seenAt(bit))).toStrictEqual([
      '1',
      ...Array.from({ length: BITS - 2 }, () => '0,1'),
      '1',
    ]);
  });

  it.each([
    [0, true],
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
  ])('sent %i s from our clock is timely: %s [W303]', (seconds, isTimely) => {
    const claim = parseAuthorization(signedAuthorization(TARGET, { ...SIGNER, now: (NOW + seconds * 1_000) as Instant }));
    if (claim === undefined) throw new Error('not read');
    expect(isOauthTimely(claim, NOW)).toBe(isTimely);
  });

  it('fails verification with forged padding (safety, T9)', () => {
    const claim = parseAuthorization(header);
    if (claim === undefined) throw new Error('not read');
    const digest = createHash('sha256').update(oauthBaseString(TARGET, claim.signed)).digest();
    const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');
    const block = (filling: Buffer, tail: Buffer): Buffer => {
      const head = Buffer.concat([Buffer.from([0, 1]), filling, Buffer.from([0]), prefix, digest, tail]);
      return Buffer.concat([head, Buffer.alloc(256 - head.length, 0x41)]);
    };
    const signedAs = (message: Buffer) => ({
      ...claim,
      signature: privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, message),
    });
    const full = Buffer.alloc(256 - 3 - prefix.length - digest.length, 0xff);
    expect(isOauthSigned(signedAs(block(full, Buffer.alloc(0))), TARGET, publicKey)).toBe(true);
    for (const forged of [
      block(Buffer.alloc(8, 0xff), Buffer.alloc(0)),
      block(Buffer.alloc(8, 0xff), Buffer.alloc(60, 1)),
      block(Buffer.concat([full.subarray(1), Buffer.from([0xfe])]), Buffer.alloc(0)),
      block(Buffer.alloc(full.length, 0), Buffer.alloc(0)),
    ]) {
      expect(isOauthSigned(signedAs(forged), TARGET, publicKey)).toBe(false);
    }
  });
});

describe('the Authorization header', () => {
  const parameters = [...(parseAuthorization(header)?.signed ?? [])];
  const signature = /oauth_signature="([^"]+)"/.exec(header)?.[1] ?? '';
  const withSignature: OauthParameter[] = [...parameters, ['oauth_signature', decodeURIComponent(signature)]];
  const changed = (name: string, value: string | undefined): string =>
    writeAuthorization(withSignature.flatMap(([one, old]) => (one !== name ? [[one, old]] : value === undefined ? [] : [[one, value]])));

  it.each([
    ['the scheme in other letters', header.replace('OAuth', 'oauth')],
    ['no blank between', header.replaceAll(', ', ',')],
    ['blanks and tabs between', header.replaceAll(', ', ' \t,\t ')],
    ['another order', writeAuthorization([...withSignature].reverse())],
    ['a realm', writeAuthorization(withSignature, 'https://gateway.example/')],
    ['a realm with a percent sign', header.replace('OAuth ', 'OAuth realm="100% ours", ')],
    ['escapes that were not needed', header.replace('"acme"', '"%61cme"')],
    ['8,192 characters', `${header}, realm="${'x'.repeat(8_192 - `${header}, realm=""`.length)}"`],
  ])('has the same meaning with %s', (_what, text) => expect(isVerified(text)).toBe(true));

  it('is written with the realm first, and without one if none is given', () => {
    expect(writeAuthorization([['oauth_nonce', 'a b']], 'https://g')).toBe('OAuth realm="https%3A%2F%2Fg", oauth_nonce="a%20b"');
    expect(writeAuthorization([['oauth_nonce', 'a b']])).toBe('OAuth oauth_nonce="a%20b"');
  });

  it('may omit the version and contain an empty token if signed that way (RFC 5849, section 3.1)', () => {
    // Signed like a real claim, but over other parameters.
    const claim = (list: OauthParameter[]) => parseAuthorization(writeAuthorization([...list, ['oauth_signature', 'AAAA']]));
    expect(claim(parameters.filter(([name]) => name !== 'oauth_version'))).toMatchObject({ consumerKey: 'acme' });
    expect(claim([...parameters, ['oauth_token', '']])).toMatchObject({ consumerKey: 'acme' });
    expect(claim([...parameters, ['oauth_token', 'x']])).toBeUndefined();
  });

  it.each([
    ['a nonce of 255 characters', changed('oauth_nonce', 'n'.repeat(255))],
    ['a time of one digit', changed('oauth_timestamp', '5')],
    ['a time of twelve digits', changed('oauth_timestamp', '999999999999')],
    ['a signature of two groups', changed('oauth_signature', 'AAAAAAAA')],
    ['a signature of one byte', changed('oauth_signature', 'AA==')],
    ['a signature of two bytes', changed('oauth_signature', 'AAA=')],
    ['a name of 64 characters', writeAuthorization([...withSignature, [`oauth_${'x'.repeat(58)}`, '']])],
    ['32 parameters', writeAuthorization([...withSignature, ...Array.from({ length: 26 }, (_, n) => [`oauth_x${n}`, ''] as const)])],
  ])('is accepted with %s', (_what, text) => expect(parseAuthorization(text)).toMatchObject({ consumerKey: 'acme' }));

  it.each([
    ['nothing', ''],
    ['something before the scheme', `x${header}`],
    ['a time of thirteen digits', changed('oauth_timestamp', '1000000000000')],
    ['a name of 65 characters', writeAuthorization([...withSignature, [`oauth_${'x'.repeat(59)}`, '']])],
    ['8,193 characters', `${header}, realm="${'x'.repeat(8_193 - `${header}, realm=""`.length)}"`],
    ['another scheme', header.replace('OAuth', 'Bearer')],
    ['only the scheme', 'OAuth'],
    ['no scheme', header.replace('OAuth ', '')],
    ['another method', changed('oauth_signature_method', 'HMAC-SHA1')],
    ['PLAINTEXT', changed('oauth_signature_method', 'PLAINTEXT')],
    ['the method in other letters', changed('oauth_signature_method', 'rsa-sha256')],
    ['RSA with SHA-1', changed('oauth_signature_method', 'RSA-SHA1')],
    ['another version', changed('oauth_version', '2.0')],
    ['no consumer', changed('oauth_consumer_key', undefined)],
    ['an empty consumer', changed('oauth_consumer_key', '')],
    ['no nonce', changed('oauth_nonce', undefined)],
    ['an empty nonce', changed('oauth_nonce', '')],
    ['a nonce without end', changed('oauth_nonce', 'n'.repeat(256))],
    ['a line feed in the nonce', changed('oauth_nonce', 'a\nb')],
    ['no time', changed('oauth_timestamp', undefined)],
    ['a time that is no number', changed('oauth_timestamp', '17e8')],
    ['a time before the epoch', changed('oauth_timestamp', '-1')],
    ['a time with leading zeros', changed('oauth_timestamp', '01700000000')],
    ['no method', changed('oauth_signature_method', undefined)],
    ['no signature', changed('oauth_signature', undefined)],
    ['an empty signature', changed('oauth_signature', '')],
    ['a signature that is no base64', changed('oauth_signature', '!!!!')],
    ['base64 with bits left over', changed('oauth_signature', 'AB==')],
    ['base64 of the URL kind', changed('oauth_signature', 'AA-_')],
    ['base64 with a line feed', changed('oauth_signature', 'AAAA\nAAAA')],
    ['a parameter twice', `${header}, oauth_nonce="n-1"`],
    ['a parameter twice under two spellings', `${header}, oauth%5Fnonce="n-1"`],
    ['a parameter that OAuth does not define', `${header}, client_orderid="inv 1"`],
    ['a value without quotes', header.replace('"acme"', 'acme')],
    ['a quote that does not end', header.slice(0, -1)],
    ['a comma at the end', `${header},`],
    ['two commas', header.replace(', ', ', , ')],
    ['text at the end', `${header} x`],
    ['broken percent-encoding', header.replace('"acme"', '"ac%me"')],
    ['broken percent-encoding in an unused value', `${header}, oauth_x="a%"`],
    ['broken percent-encoding in a name', `${header}, oauth_%="a"`],
    ['bytes that are no UTF-8', header.replace('"acme"', '"ac%ffme"')],
    ['more than 8 KiB', `${header}, realm="${'x'.repeat(8_192)}"`],
    ['33 parameters', writeAuthorization([...withSignature, ...Array.from({ length: 27 }, (_, n) => [`oauth_x${n}`, ''] as const)])],
  ])('is rejected with %s [W138]', (_what, text) => expect(parseAuthorization(text)).toBeUndefined());

  it('is parsed in time linear in its length (safety, T27)', () => {
    for (const repeated of ['a', 'a="', ' ']) {
      const header = (length: number): string => `OAuth ${repeated.repeat(length / repeated.length)}`;
      expect(parseAuthorization(header(LENGTH))).toBeUndefined();
      expect(timesPerDoubling(header, parseAuthorization, LENGTH, TIMES_MAX)).toBeLessThanOrEqual(TIMES_MAX);
    }
  });
});

/** `OAUTH_MUTATIONS=100000` on demand (safety, T8). */
const MUTATIONS = Number(process.env['OAUTH_MUTATIONS'] ?? 2_000);

describe(`${MUTATIONS} mutated headers`, () => {
  const ALPHABET = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%="\', \t+/_-.\\\u0000\u00e9'];
  const character = fc.constantFrom(...ALPHABET);
  const at = fc.nat({ max: header.length - 1 });
  const spliced = (text: string, from: number, count: number, more: string): string =>
    text.slice(0, from) + more + text.slice(from + count);
  const parts = header.slice('OAuth '.length).split(', ');
  const mutation = fc.oneof(
    fc.tuple(at, character).map(([from, one]) => spliced(header, from, 1, one)),
    fc.tuple(at, character).map(([from, one]) => spliced(header, from, 0, one)),
    fc.tuple(at, fc.integer({ min: 1, max: 20 })).map(([from, count]) => spliced(header, from, count, '')),
    fc.tuple(at, at).map(([one, other]) => spliced(header, one, 1, header.charAt(other))),
    fc.tuple(fc.nat({ max: parts.length - 1 }), fc.nat({ max: parts.length - 1 })).map(([one, other]) => {
      const list = [...parts];
      list[one] = parts[other] ?? '';
      return `OAuth ${list.join(', ')}`;
    }),
    fc.nat({ max: parts.length - 1 }).map((one) => `OAuth ${parts.filter((_, index) => index !== one).join(', ')}`),
    fc.nat({ max: parts.length - 1 }).map((one) => `${header}, ${parts[one] ?? ''}`),
    fc
      .tuple(fc.constantFrom('oauth_token', 'oauth_callback', 'oauth_x', 'x', 'oauth_Nonce'), fc.string({ unit: character, maxLength: 8 }))
      .map(([name, value]) => `${header}, ${name}="${oauthEncoded(value)}"`),
    fc.tuple(at, at).map(([one, other]) => header.slice(Math.min(one, other), Math.max(one, other))),
  );
  /** Normalises equivalent spellings, independently of the tested parser. */
  const meaning = (text: string): string => {
    const scheme = /^oauth[ \t]+/i.exec(text)?.[0] ?? '';
    const rest = text.slice(scheme.length);
    return (
      scheme.replace(/[ \t]+/, ' ').toLowerCase() +
      rest
        .split(',')
        .map((part) => part.replace(/^[ \t]+|[ \t]+$/g, '').replace(/%[0-9A-Fa-f]{2}/g, (escape) => decodeURIComponentOr(escape)))
        .sort()
        .join(',')
    );
  };
  const decodeURIComponentOr = (escape: string): string => {
    try {
      return decodeURIComponent(escape);
    } catch {
      return escape.toUpperCase();
    }
  };

  it(
    'are rejected unless their meaning is unchanged',
    () => {
      let others = 0;
      fc.assert(
        fc.property(mutation, (text) => {
          if (meaning(text) === meaning(header)) return;
          others++;
          expect(isVerified(text)).toBe(false);
        }),
        { numRuns: MUTATIONS },
      );
      expect(others).toBeGreaterThan(MUTATIONS * 0.8);
    },
    30_000 + MUTATIONS,
  );
});
