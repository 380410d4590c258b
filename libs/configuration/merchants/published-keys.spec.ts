import { createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ConfigurationFault } from '../reading/fault';
import { configurationFrom } from '../load-configuration';
import { productsFrom } from '../load-products';
import { isPublishedControlKey, isPublishedPublicKey, isPublishedSecret } from './credentials';

const ROOT = resolve(__dirname, '../../..');
const PUBLISHED_FOLDERS = ['config', 'docs', 'deploy'];
const OWN_KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const SAMPLE_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const SAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PROBLEM = 'is a published sample, which is refused when NODE_ENV=production: generate a new one';

const files = [
  'README.md',
  '.env.example',
  ...PUBLISHED_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  ),
].map((path) => ({ path, text: readFileSync(resolve(ROOT, path), 'utf8') }));
const found = (pattern: RegExp): string[] => files.flatMap(({ text }) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));

describe('published keys', () => {
  it("in this repository's documents and files are all listed [W498]", () => {
    const controlKeys = found(/(?:controlKey: |CONTROL_KEY=|\bkey=)['"]?([0-9A-Fa-f][0-9A-Fa-f-]{31,})/g);
    const secrets = found(/(whsec_[A-Za-z0-9+/=]{20,})/g);
    const publicKeys = found(/(-----BEGIN (?:RSA )?PUBLIC KEY-----[^-]+-----END (?:RSA )?PUBLIC KEY-----)/g);
    expect([controlKeys, secrets, publicKeys].map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(controlKeys.filter((key) => !isPublishedControlKey(key))).toEqual([]);
    expect(secrets.filter((secret) => !isPublishedSecret(secret))).toEqual([]);
    expect(publicKeys.filter((pem) => !isPublishedPublicKey(createPublicKey(pem)))).toEqual([]);
  });

  it.each([SAMPLE_KEY, SAMPLE_KEY.toLowerCase(), SAMPLE_KEY.replaceAll('-', '')])('are recognised in any notation: %s', (key) => {
    expect(isPublishedControlKey(key)).toBe(true);
    expect(isPublishedControlKey(OWN_KEY)).toBe(false);
  });
});

const production = { source: 'test', folder: join(ROOT, 'config'), environment: { NODE_ENV: 'production', KEY: SAMPLE_KEY } };
const faultsOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  return [];
};

describe('published keys in production are rejected with their path', () => {
  const gates = [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], allowInProduction: true }];
  const endpoints = [{ id: '1001', currency: 'USD', gates: ['sim-a'] }];
  const merchant = { login: 'acme', controlKey: OWN_KEY, endpoints };
  const gateway = (more: object) => () =>
    configurationFrom(JSON.stringify({ merchants: [{ ...merchant, ...more }], gates }), { ...production, adapters: GATE_ADAPTERS });

  it.each<[string, object, string]>([
    ['a control key', { controlKey: SAMPLE_KEY }, 'merchants[0].controlKey'],
    ['one from the environment', { controlKey: '${KEY}' }, 'merchants[0].controlKey'],
    ['a callback secret', { callback: { secret: SAMPLE_SECRET } }, 'merchants[0].callback.secret'],
    [
      'a former control key',
      { formerControlKey: { key: SAMPLE_KEY, notAfter: '2027-01-31T12:00:00Z' } },
      'merchants[0].formerControlKey.key',
    ],
    [
      'a former callback secret',
      { callback: { secret: `whsec_${'A'.repeat(32)}`, formerSecret: { secret: SAMPLE_SECRET, notAfter: '2027-01-31T12:00:00Z' } } },
      'merchants[0].callback.formerSecret.secret',
    ],
    ['a key for v4', { oauthPublicKeyFile: 'acme.pub.pem' }, 'merchants[0].oauthPublicKeyFile'],
  ])('of a merchant: %s [W498]', (_, more, place) => {
    expect(faultsOf(gateway({}))).toEqual([]);
    expect(faultsOf(gateway(more))).toEqual([`${place}: ${PROBLEM}`]);
  });

  it('of a product [W498]', () => {
    const products = (controlKey: string) => () =>
      productsFrom(
        JSON.stringify({ login: 'acme', controlKey, unsignedNotifications: true, endpoints: [{ id: '1001', currency: 'USD' }] }),
        production,
      );
    expect(faultsOf(products(OWN_KEY))).toEqual([]);
    expect(faultsOf(products(SAMPLE_KEY))).toEqual([`controlKey: ${PROBLEM}`]);
  });
});
