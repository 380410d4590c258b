import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatorAdapter } from '@app/gateway-adapters/simulator';
import { ConfigurationFault, type Fault } from './reading/fault';
import { configurationFrom } from './load-configuration';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const OTHER_KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = `whsec_${'A'.repeat(32)}`;

const minimal = (): Json => ({
  merchants: [{ login: 'acme', controlKey: KEY, endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }] }],
  gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }],
});

const put = (root: Json, path: Path, value: Json | undefined): Json => {
  let node = root as { [key: string | number]: Json };
  path.slice(0, -1).forEach((part, index) => {
    node[part] ??= typeof path[index + 1] === 'number' ? [] : {};
    node = node[part] as { [key: string | number]: Json };
  });
  const last = path.at(-1) ?? '';
  if (value === undefined) delete node[last];
  else node[last] = value;
  return root;
};

const rsa = (modulusLength: number, publicExponent = 65_537) => generateKeyPairSync('rsa', { modulusLength, publicExponent });
const spki = ({ publicKey }: KeyPairKeyObjectResult) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const pkcs8 = ({ privateKey }: KeyPairKeyObjectResult) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const ADAPTERS = [simulatorAdapter] as const;
let folder: string;
const read = (value: Json, environment: Record<string, string> = {}) =>
  configurationFrom(JSON.stringify(value), { source: 'test.json', folder, environment, adapters: ADAPTERS });
type Configuration = ReturnType<typeof read>;
const faultsOf = (run: () => unknown): readonly Fault[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults;
    throw error;
  }
  throw new Error('nothing was refused');
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  const good = rsa(2048);
  writeFileSync(join(folder, 'good.pem'), spki(good));
  writeFileSync(join(folder, 'private.pem'), pkcs8(good));
  writeFileSync(join(folder, 'both.pem'), spki(good) + pkcs8(good));
  writeFileSync(join(folder, 'two.pem'), spki(good) + spki(good));
  writeFileSync(join(folder, 'short.pem'), spki(rsa(1024)));
  writeFileSync(join(folder, 'exponent.pem'), spki(rsa(2048, 3)));
  writeFileSync(join(folder, 'curve.pem'), spki(generateKeyPairSync('ec', { namedCurve: 'P-256' })));
  writeFileSync(join(folder, 'noise.pem'), '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n');
  writeFileSync(join(folder, 'control.key'), `${KEY}\n`);
  writeFileSync(join(folder, 'other.key'), OTHER_KEY);
  writeFileSync(join(folder, 'zz.key'), 'zz'.repeat(16));
  writeFileSync(join(folder, 'callback.secret'), SECRET);
  writeFileSync(join(folder, 'sign-in'), 'a-secret-of-the-house\n');
  writeFileSync(join(folder, 'two-words'), 'two words');
  writeFileSync(join(folder, 'large.key'), 'ab'.repeat(40_000));
  mkdirSync(join(folder, 'a-folder'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const M = ['merchants', 0] as const;
const E = ['merchants', 0, 'endpoints', 0] as const;
const G = ['gates', 0] as const;
const merchant = (c: Configuration) => c.accounts.merchants[0];
const endpoint = (c: Configuration) => merchant(c).endpoints[0];
const gate = (c: Configuration) => c.accounts.gates[0];

interface Row {
  readonly key: Path;
  readonly fallback?: unknown;
  readonly of: (configuration: Configuration) => unknown;
  readonly valid: readonly (readonly [written: Json, read: unknown])[];
  readonly invalid: readonly Json[];
}

const same = (...values: string[]): [Json, unknown][] => values.map((value) => [value, value]);
const flags: Pick<Row, 'valid' | 'invalid'> = { valid: [[true, true], [false, false]], invalid: ['true', 1, null] }; // prettier-ignore
const JANE = { name: 'jane', role: 'investigator', tokenSha256: 'ab'.repeat(32) };
const notText: Json[] = [5, null, {}];
const SIGN_IN = { issuer: 'https://login.example', clientId: 'orchestrator', clientSecretFile: 'sign-in', groups: [{ group: 'admins', role: 'admin' }] }; // prettier-ignore
const signIn = (changes: { [key: string]: Json }): Json => ({ ...SIGN_IN, ...changes });
const groups = (...list: Json[]): Json => signIn({ groups: list });

const rows: readonly Row[] = [
  { key: ['publicBaseUrl'], fallback: 'http://127.0.0.1:8080', of: (c) => c.publicBaseUrl, valid: [...same('https://pay.example'), ['https://pay.example:9000/', 'https://pay.example:9000'], ['HTTPS://Pay.Example', 'https://pay.example']], invalid: ['ftp://x', 'https://x/path', 'https://x//', 'https://u:p@x', 'https://x?', 'https://x/#', 'x', '', ' https://x', ...notText] },
  { key: ['pathPrefix'], fallback: '/paynet', of: (c) => c.pathPrefix, valid: same('', '/a', '/a/b-1'), invalid: ['a', '/', '/a/', '//a', '/..', '/a b', '/%2e', ...notText] },
  { key: ['egress', 'allow'], fallback: [], of: (c) => c.egress.allow.map(({ text }) => text), valid: [[['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']]], invalid: [['127.1'], ['10.0.0.1/8'], ['10.0.0.0/33'], ['localhost'], ['::1', '::1'], '127.0.0.1', [1], null] },
  { key: ['egress', 'ports'], fallback: new Set(), of: (c) => c.egress.ports, valid: [[[8081, 9000], new Set([8081, 9000])]], invalid: [[0], [65_536], [1.5], ['8081'], 8081, null] },
  { key: ['egress', 'plainHttp'], fallback: false, of: (c) => c.egress.plainHttp, ...flags },
  { key: ['callbacks', 'speedFactor'], fallback: 1, of: (c) => c.callbacks.speedFactor, valid: [[1000, 1000], [0.5, 0.5]], invalid: [0, -1, '10', null, 1e9] }, // prettier-ignore
  { key: ['groupB', 'httpErrors'], fallback: 'always-200', of: (c) => c.groupB.httpErrors, valid: same('always-200', 'status-codes'), invalid: ['200', ...notText] },
  { key: ['groupB', 'notificationWaitSeconds'], fallback: 10_000, of: (c) => c.groupB.notificationWaitMs, valid: [[0.5, 500], [30, 30_000]], invalid: [0, -1, 301, '10', null] },
  { key: ['groupB', 'feeChoiceMinutes'], fallback: 900_000, of: (c) => c.groupB.feeChoiceMs, valid: [[0.05, 3_000], [1, 60_000]], invalid: [0, -1, 1441, '1', null] },
  { key: ['threeDSecure', 'payerMinutes'], fallback: 900_000, of: (c) => c.threeDSecure.payerMs, valid: [[0.05, 3_000], [1, 60_000]], invalid: [0, -1, 1441, '1', null] },
  { key: ['rateLimit', 'requestsPerSecond'], fallback: 0, of: (c) => c.rateLimit.requestsPerSecond, valid: [[0, 0], [100, 100]], invalid: [-1, 0.5, '5', null] },
  { key: ['keepAliveSeconds'], fallback: 75_000, of: (c) => c.keepAliveMs, valid: [[5, 5_000], [600, 600_000]], invalid: [4, -1, 5.5, 3_601, '75', null] },
  { key: ['documents'], fallback: 'off', of: (c) => c.documents, valid: same('off', 'on'), invalid: ['yes', ...notText] },
  { key: ['operators'], fallback: [], of: (c) => c.operators, valid: [[[{ name: 'jane', role: 'investigator', tokenSha256: 'AB'.repeat(32) }], [{ name: 'jane', role: 'investigator', tokenSha256: 'ab'.repeat(32) }]], [[{ ...JANE, merchants: ['acme'] }], [{ ...JANE, merchants: ['acme'] }]]], invalid: [[{ ...JANE, merchants: [] }], [{ ...JANE, merchants: 'acme' }], [{ ...JANE, merchants: ['nobody'] }], [{ ...JANE, merchants: ['acme', 'acme'] }], null, {}, 'jane', [{}], [{ ...JANE, role: 'root' }], [{ ...JANE, name: '1' }], [{ ...JANE, name: 'a4444333322221111' }], [{ ...JANE, tokenSha256: 'ab'.repeat(31) }], [{ ...JANE, token: 'x' }], [JANE, JANE], [JANE, { ...JANE, name: 'kim', tokenSha256: 'AB'.repeat(32) }], [JANE, { ...JANE, tokenSha256: 'cd'.repeat(32) }]] },
  { key: ['signIn'], fallback: undefined, of: (c) => c.signIn && { ...c.signIn, clientSecret: c.signIn.clientSecret.reveal() }, valid: [[signIn({}), { issuer: 'https://login.example', clientId: 'orchestrator', clientSecret: 'a-secret-of-the-house', scope: 'openid', nameClaim: 'sub', groupsClaim: 'groups', groups: [{ group: 'admins', role: 'admin' }] }], [signIn({ issuer: 'http://127.0.0.1:9000/realm/', scope: 'openid groups', nameClaim: 'email', groupsClaim: 'https://house.example/groups', groups: [{ group: 'Support of acme', role: 'viewer', merchants: ['acme'] }] }), { issuer: 'http://127.0.0.1:9000/realm', clientId: 'orchestrator', clientSecret: 'a-secret-of-the-house', scope: 'openid groups', nameClaim: 'email', groupsClaim: 'https://house.example/groups', groups: [{ group: 'Support of acme', role: 'viewer', merchants: ['acme'] }] }]], invalid: [{}, null, [], 'https://login.example', ...['login.example', 'ftp://login.example', 'https://u:p@login.example', 'https://login.example?q', ...notText].map((issuer) => signIn({ issuer })), ...['', 'a\nb', 'x'.repeat(257), ...notText].flatMap((text) => [signIn({ clientId: text }), signIn({ scope: text }), signIn({ nameClaim: text }), signIn({ groupsClaim: text })]), ...['missing', 'two-words', 'a-folder', 'large.key', '', ...notText].map((clientSecretFile) => signIn({ clientSecretFile })), signIn({ clientSecret: 'a-secret-of-the-house' }), signIn({ groups: null }), groups(), groups({ group: 'a' }), groups({ role: 'admin' }), groups({ group: 'a', role: 'root' }), groups({ group: '', role: 'admin' }), groups({ group: 'a', role: 'viewer', merchants: [] }), groups({ group: 'a', role: 'viewer', merchants: ['nobody'] }), groups({ group: 'a', role: 'viewer', merchants: ['acme', 'acme'] }), groups({ group: 'a', role: 'viewer' }, { group: 'a', role: 'admin' }), groups(...Array.from({ length: 101 }, (_, index) => ({ group: `g${index}`, role: 'viewer' })))] },
  ...(['resolveUnknown', 'refund', 'capture', 'void'] as const).map((name): Row => ({ key: ['approvals', name], fallback: undefined, of: (c) => c.approvals[name]?.from, valid: [['always', []], [{ from: '100.00 EUR' }, [{ minor: 10_000n, currency: 'EUR' }]], [{ from: ['0.01 EUR', '5.00 USD'] }, [{ minor: 1n, currency: 'EUR' }, { minor: 500n, currency: 'USD' }]]], invalid: [{}, { from: '100.00' }, { from: '100.00 EUX' }, { from: 'EUR 100.00' }, { from: '1e3 EUR' }, { from: 100 }, { from: ['1.00 EUR', '2.00 EUR'] }, { to: '1.00 EUR' }, 'never', true, null] })),
  ...(['applyCase', 'eraseOrder', 'releaseHold'] as const).map((name): Row => ({ key: ['approvals', name], fallback: undefined, of: (c) => c.approvals[name]?.from, valid: [['always', []]], invalid: [{ from: '100.00 EUR' }, 'never', true, null] })),
  { key: ['orderIds'], fallback: 'numeric', of: (c) => c.orderIds, valid: same('numeric', 'text'), invalid: ['number', 'TEXT', ...notText] },
  { key: [...M, 'login'], of: (c) => merchant(c).login, valid: same('a', 'A2345678901234567890', 'acme-shop_1.x'), invalid: ['9acme', '', 'A23456789012345678901', 'ac me', 'ac/me', ...notText] },
  { key: [...M, 'name'], fallback: 'acme', of: (c) => merchant(c).name, valid: same('Acme & Søns', 'x'.repeat(64)), invalid: ['', 'a\nb', 'x'.repeat(65), ...notText] },
  { key: [...M, 'siteUrl'], fallback: undefined, of: (c) => merchant(c).siteUrl, valid: same('https://shop.example', 'http://127.0.0.1:8083/shop?a=1'), invalid: ['shop.example', 'ftp://m.example', 'javascript:alert(1)', 'https://u:p@m.example', ...notText] },
  { key: [...M, 'controlKey'], of: (c) => merchant(c).controlKey.reveal(), valid: same(KEY, 'ab'.repeat(16), 'AB'.repeat(128)), invalid: ['', 'zz'.repeat(16), 'ab'.repeat(15), `${'ab'.repeat(16)}a`, ` ${KEY}`, 'ab'.repeat(129), '-'.repeat(40), ...notText] },
  { key: [...M, 'formerControlKey'], fallback: undefined, of: (c) => { const former = merchant(c).formerControlKey; return former && [former.key.reveal(), former.notAfter]; }, valid: [[{ key: OTHER_KEY, notAfter: '2027-01-31T12:00:00+02:00' }, [OTHER_KEY, '2027-01-31T10:00:00.000Z']], [{ keyFile: 'other.key', notAfter: '2027-01-31T12:00:00Z' }, [OTHER_KEY, '2027-01-31T12:00:00.000Z']]], invalid: [null, OTHER_KEY, {}, { key: OTHER_KEY }, { notAfter: '2027-01-31T12:00:00Z' }, { key: OTHER_KEY, notAfter: '2027-01-31T12:00:00' }, { key: OTHER_KEY, notAfter: '2027-02-30T12:00:00Z' }, { key: OTHER_KEY, notAfter: '2027-01-31' }, { key: OTHER_KEY, notAfter: 1 }, { key: KEY, notAfter: '2027-01-31T12:00:00Z' }, { key: KEY.toLowerCase().replaceAll('-', ''), notAfter: '2027-01-31T12:00:00Z' }, { keyFile: 'control.key', notAfter: '2027-01-31T12:00:00Z' }, { key: 'zz', notAfter: '2027-01-31T12:00:00Z' }, { keyFile: 'missing', notAfter: '2027-01-31T12:00:00Z' }, { key: OTHER_KEY, keyFile: 'other.key', notAfter: '2027-01-31T12:00:00Z' }] },
  { key: [...M, 'oauthPublicKeyFile'], fallback: undefined, of: (c) => merchant(c).oauthPublicKey?.asymmetricKeyDetails?.modulusLength, valid: [['good.pem', 2048]], invalid: ['private.pem', 'both.pem', 'two.pem', 'short.pem', 'exponent.pem', 'curve.pem', 'noise.pem', 'missing.pem', 'a-folder', 'large.key', '', ...notText] },
  { key: [...M, 'merchantUrl'], fallback: undefined, of: (c) => merchant(c).merchantUrl, valid: [['http://127.0.0.1:8081', 'http://127.0.0.1:8081'], ['https://m.example/acme/', 'https://m.example/acme']], invalid: ['m.example', 'https://u@m.example', 'https://m.example?q', 'https://m.example#f', 'file:///x', ...notText] },
  { key: [...M, 'cardMapping'], fallback: 'notify', of: (c) => merchant(c).cardMapping, valid: same('notify', 'off'), invalid: ['on', false, ...notText] },
  { key: [...M, 'callback', 'method'], fallback: 'post-json', of: (c) => merchant(c).callback.method, valid: same('post-json', 'post-form', 'get'), invalid: ['post', 'GET', ...notText] },
  { key: [...M, 'callback', 'secret'], fallback: undefined, of: (c) => merchant(c).callback.secret?.reveal(), valid: same(SECRET), invalid: ['whsec_', 'whsec_MfKQ', `${SECRET}=`, SECRET.slice(6), `whsec_${'A'.repeat(88)}`, ...notText] },
  { key: [...M, 'callback', 'secretFile'], fallback: undefined, of: (c) => merchant(c).callback.secret?.reveal(), valid: [['callback.secret', SECRET]], invalid: ['missing', 'zz.key', 'a-folder', ...notText] },
  { key: [...M, 'callback'], fallback: { method: 'post-json' }, of: (c) => { const { formerSecret, ...callback } = merchant(c).callback; return { method: callback.method, ...(formerSecret && { former: formerSecret.secret.reveal(), notAfter: formerSecret.notAfter }) }; }, valid: [[{ secret: SECRET, formerSecret: { secret: OTHER_SECRET, notAfter: '2027-01-31T12:00:00Z' } }, { method: 'post-json', former: OTHER_SECRET, notAfter: '2027-01-31T12:00:00.000Z' }], [{ secret: OTHER_SECRET, formerSecret: { secretFile: 'callback.secret', notAfter: '2027-01-31T12:00:00Z' } }, { method: 'post-json', former: SECRET, notAfter: '2027-01-31T12:00:00.000Z' }]], invalid: [{ formerSecret: { secret: OTHER_SECRET, notAfter: '2027-01-31T12:00:00Z' } }, { secret: SECRET, formerSecret: null }, { secret: SECRET, formerSecret: {} }, { secret: SECRET, formerSecret: { secret: OTHER_SECRET } }, { secret: SECRET, formerSecret: { notAfter: '2027-01-31T12:00:00Z' } }, { secret: SECRET, formerSecret: { secret: SECRET, notAfter: '2027-01-31T12:00:00Z' } }, { secret: SECRET, formerSecret: { secretFile: 'callback.secret', notAfter: '2027-01-31T12:00:00Z' } }, { secret: SECRET, formerSecret: { secret: 'whsec_', notAfter: '2027-01-31T12:00:00Z' } }] },
  { key: [...M, 'rebillControl'], fallback: 'either', of: (c) => merchant(c).rebillControl, valid: same('with-endpoint', 'without-endpoint', 'either'), invalid: ['both', ...notText] },
  { key: [...M, 'showCommissions'], fallback: false, of: (c) => merchant(c).showCommissions, ...flags },
  { key: [...M, 'statusWaitMs'], fallback: 0, of: (c) => merchant(c).statusWaitMs, valid: [[0, 0], [2000, 2_000]], invalid: [-1, 0.5, 2_001, '5', null] },
  { key: [...M, 'unknownStatus'], fallback: 'processing', of: (c) => merchant(c).unknownStatus, valid: same('processing', 'unknown'), invalid: ['declined', true, ...notText] },
  { key: [...M, 'endpoints'], of: (c) => merchant(c).endpoints.length, valid: [], invalid: [[], null, {}, 'x'] },
  { key: [...M, 'groups'], fallback: [], of: (c) => merchant(c).groups.map(({ id, endpoints }) => [id, endpoints.map((e) => e.id)]), valid: [[[{ id: '2001', endpoints: ['1001'] }], [['2001', ['1001']]]]], invalid: [null, {}, [{ id: '2001', endpoints: [] }], [{ id: 'x', endpoints: ['1001'] }], [{ id: 2001, endpoints: ['1001'] }], [{ id: '2001', endpoints: ['9'] }], [{ id: '2001' }], [{ id: '1001', endpoints: ['1001'] }]] },
  { key: [...E, 'id'], of: (c) => endpoint(c).id, valid: same('1', '0039', '12345678901234567890'), invalid: ['', 'a1', '-1', '1.0', '123456789012345678901', 1001, null] },
  { key: [...E, 'currency'], of: (c) => endpoint(c).currency, valid: same('USD'), invalid: ['usd', 'US', 'USDT', 'ACM', 'ZZZ', 'XXX', 'XAU', ...notText] },
  { key: [...E, 'gates'], of: (c) => endpoint(c).gates, valid: [[['sim-a'], ['sim-a']]], invalid: [[], ['sim-x'], ['sim-a', 'sim-a'], 'sim-a', [1], null] },
  { key: [...E, 'descriptor'], fallback: undefined, of: (c) => endpoint(c).descriptor, valid: same('ACME*SHOP'), invalid: ['', 'a\nb', 'x'.repeat(129), ...notText] },
  { key: [...E, 'maxAmount'], fallback: 999_999_999_900n, of: (c) => endpoint(c).maxAmountMinor, valid: [['100000.00', 10_000_000n], ['0.01', 1n], ['7', 700n]], invalid: ['0', '0.00', '1.', '.5', '1,00', '1e3', '-1', '01', '1.234', '12345678901', 100, 100.5, null] },
  { key: [...E, 'transferRates'], fallback: 'first-gate', of: (c) => endpoint(c).transferRates, valid: same('first-gate', 'consumer'), invalid: ['x', ...notText] },
  { key: [...E, 'callbackUrl'], fallback: undefined, of: (c) => endpoint(c).callbackUrl, valid: same('http://127.0.0.1:8081/callback', 'https://m.example/cb?a=1'), invalid: ['/cb', 'ftp://m.example', 'https://u:p@m.example', 'https://m.example/#x', 'https://m.example/a b', `https://m.example/${'x'.repeat(1024)}`, ...notText] },
  { key: [...E, 'randomSum'], fallback: 'optional', of: (c) => endpoint(c).randomSum, valid: same('optional', 'required'), invalid: ['none', ...notText] },
  { key: [...E, 'consumerEmail'], fallback: 'required', of: (c) => endpoint(c).consumerEmail, valid: same('required', 'optional'), invalid: ['none', true, ...notText] },
  { key: [...E, 'screening'], fallback: undefined, of: (c) => endpoint(c).screening, valid: [[{}, { blockedBins: [], blockedCountries: [], blockedIps: [], perCard: { count: 0, hours: 24 }, perIp: { count: 0, hours: 1 } }]], invalid: [null, [], 'none', { max: '1' }] },
  { key: [...E, 'screening', 'minAmount'], fallback: undefined, of: (c) => endpoint(c).screening?.minAmountMinor, valid: [['0.01', 1n]], invalid: [0.01, '1e1', null] },
  { key: [...E, 'screening', 'maxAmount'], fallback: undefined, of: (c) => endpoint(c).screening?.maxAmountMinor, valid: [['100000.00', 10_000_000n]], invalid: [5, '', null] },
  { key: [...E, 'screening', 'blockedBins'], fallback: undefined, of: (c) => endpoint(c).screening?.blockedBins, valid: [[['444433', '44443322'], ['444433', '44443322']]], invalid: [[444433], ['44443'], ['444433', '444433'], null] },
  { key: [...E, 'screening', 'blockedCountries'], fallback: undefined, of: (c) => endpoint(c).screening?.blockedCountries, valid: [[['US', 'DEU', 'XK'], ['US', 'DEU', 'XK']]], invalid: [['us'], ['UK'], ['DEUT'], ['ZZZ'], 'US', null] },
  { key: [...E, 'screening', 'blockedIps'], fallback: undefined, of: (c) => endpoint(c).screening?.blockedIps.map(({ text }) => text), valid: [[['192.0.2.1', '2001:db8::/32'], ['192.0.2.1', '2001:db8::/32']]], invalid: [['x'], ['1.2.3'], ['192.0.2.1/24'], ['2001:db8::1/32'], null] },
  { key: [...E, 'screening', 'perCard', 'count'], fallback: undefined, of: (c) => endpoint(c).screening?.perCard.count, valid: [[3, 3]], invalid: [-1, 1.5, '3', null] },
  { key: [...E, 'screening', 'perCard', 'hours'], fallback: undefined, of: (c) => endpoint(c).screening?.perCard.hours, valid: [[48, 48]], invalid: [0, 0.5, '3', null] },
  { key: [...E, 'screening', 'perIp', 'count'], fallback: undefined, of: (c) => endpoint(c).screening?.perIp.count, valid: [[3, 3]], invalid: [-1, 1.5, '3', null] },
  { key: [...E, 'screening', 'perIp', 'hours'], fallback: undefined, of: (c) => endpoint(c).screening?.perIp.hours, valid: [[48, 48]], invalid: [0, 0.5, '3', null] },
  { key: [...E, 'routing'], fallback: undefined, of: (c) => endpoint(c).routing?.map(({ name }) => name), valid: [[[{ name: 'all', then: { cascade: ['sim-a'] } }], ['all']]], invalid: [null, {}, [], 'sim-a', [{ name: 'all' }], [{ name: 'all', then: { cascade: ['sim-x'] } }]] },
  { key: [...E, 'operations'], fallback: 'all', of: (c) => endpoint(c).operations, valid: [['all', 'all'], [['sale', 'make-rebill-sale', 'status'], new Set(['sale', 'make-rebill-sale', 'status'])]], invalid: [[], ['pay'], ['sale', 'sale'], 'sale', null, 1] },
  { key: ['gates'], of: (c) => c.accounts.gates.length, valid: [], invalid: [[], {}, null] },
  { key: [...G, 'alias'], of: (c) => gate(c).alias, valid: same('sim-a'), invalid: ['status', 'Sim', 'a_b', '', 'x'.repeat(65), ...notText] },
  { key: [...G, 'adapter'], of: (c) => gate(c).adapter, valid: same('simulator'), invalid: ['paynot', ...notText] },
  { key: [...G, 'currencies'], of: (c) => gate(c).currencies, valid: [[['USD', 'EUR'], new Set(['USD', 'EUR'])]], invalid: [[], ['usd'], ['EUX'], ['USD', 'USD'], 'USD', null] },
  { key: [...G, 'cvvRequired'], fallback: false, of: (c) => gate(c).cvvRequired, ...flags },
  { key: [...G, 'threeDSecure'], fallback: false, of: (c) => gate(c).threeDSecure, ...flags },
  { key: [...G, 'partialReversal'], fallback: true, of: (c) => gate(c).partialReversal, ...flags },
  { key: [...G, 'partialCapture'], fallback: true, of: (c) => gate(c).partialCapture, ...flags },
  { key: [...G, 'longestFlightSeconds'], fallback: 5_000, of: (c) => gate(c).longestFlightMs, valid: [[0.25, 250], [60, 60_000]], invalid: [0, -1, 86_401, '5', null] },
  { key: [...G, 'commission'], fallback: { ratePerTenThousand: 150, minCentis: 30 }, of: (c) => gate(c).commission, valid: [[{ ratePerTenThousand: 0, minCentis: 0 }, { ratePerTenThousand: 0, minCentis: 0 }]], invalid: [{}, { ratePerTenThousand: 1 }, { ratePerTenThousand: 10_001, minCentis: 0 }, { ratePerTenThousand: 1.5, minCentis: 0 }, { ratePerTenThousand: 1, minCentis: -1 }, null] },
  { key: [...G, 'acquirerCommission'], fallback: undefined, of: (c) => gate(c).acquirerCommission, valid: [[{ ratePerTenThousand: 90, minCentis: 10 }, { ratePerTenThousand: 90, minCentis: 10 }]], invalid: [{}, { minCentis: 1 }, null] },
  { key: [...G, 'descriptor'], fallback: 'sim-a', of: (c) => gate(c).descriptor, valid: same('test-a'), invalid: ['', 'a\tb', ...notText] },
  { key: [...G, 'circuit'], fallback: { windowMs: 60_000, callsMin: 20, failurePercent: 50, openMs: 30_000, openMsMax: 600_000, probes: 3 }, of: (c) => gate(c).circuit, valid: [[{ enabled: false }, undefined], [{ windowSeconds: 10, calls: 5, failurePercent: 100, openSeconds: 1, openSecondsMax: 1, probes: 1 }, { windowMs: 10_000, callsMin: 5, failurePercent: 100, openMs: 1_000, openMsMax: 1_000, probes: 1 }]], invalid: [null, 'off', { enabled: 'no' }, { calls: 0 }, { failurePercent: 0 }, { failurePercent: 101 }, { windowSeconds: 0 }, { openSeconds: 0.5 }, { openSeconds: 700 }, { probes: 0 }, { threshold: 1 }] },
  { key: [...G, 'simulate'], fallback: undefined, of: (c) => gate(c).simulate, valid: [[{ decline: 100 }, { decline: 100, unavailable: false }], [{ unavailable: true }, { unavailable: true }]], invalid: [{ decline: 7 }, { decline: '100' }, { decline: 100, unavailable: true }, { slow: true }, null] },
  { key: [...G, 'tokens'], fallback: 'none', of: (c) => gate(c).tokens, valid: same('none', 'approval', 'registration'), invalid: ['always', '', ...notText] },
  { key: [...G, 'networkTransactions'], fallback: false, of: (c) => gate(c).networkTransactions, ...flags },
  { key: [...G, 'allowInProduction'], fallback: false, of: (c) => gate(c).allowInProduction, ...flags },
  { key: ['bins'], fallback: [], of: (c) => c.accounts.bins, valid: [[[{ bin: '444433', cardType: 'VISA', country: 'USA', bank: 'B', productCode: 'F', productName: 'Classic', typeCode: 'C', typeName: 'Credit' }], [{ bin: '444433', cardType: 'VISA', country: 'USA', bank: 'B', productCode: 'F', productName: 'Classic', typeCode: 'C', typeName: 'Credit' }]]], invalid: [null, {}, [{}], [{ bin: 444433 }], [{ bin: '44443' }], [{ bin: '444433', country: 'US' }], [{ bin: '444433' }, { bin: '444433' }]] },
]; // prettier-ignore

const nameOf = ({ key }: Row) => key.join('.');

describe('the configuration key', () => {
  it.each(rows.map((row) => [nameOf(row), row] as const))(
    '%s has its default, accepts valid values and rejects invalid ones [W305, W408, W439, W487, W495, W500]',
    (_name, row) => {
      if ('fallback' in row) expect(row.of(read(minimal()))).toEqual(row.fallback);
      else expect(faultsOf(() => read(put(minimal(), row.key, undefined)))).not.toHaveLength(0);
      for (const [written, expected] of row.valid) {
        expect([written, row.of(read(put(minimal(), row.key, written)))]).toEqual([written, expected]);
      }
      const place = row.key.reduce<string>(
        (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
        '',
      );
      for (const written of row.invalid) {
        const faults = faultsOf(() => read(put(minimal(), row.key, written)));
        const isThere = faults.some(({ path }) => path.startsWith(place));
        expect([written, faults, isThere]).toEqual([written, faults, true]);
      }
    },
  );

  it('is rejected at any level if it is unknown', () => {
    const unknownAt: Path[] = [[], ['egress'], ['callbacks'], ['groupB'], ['threeDSecure'], ['rateLimit'], M, [...M, 'callback'], E, [...E, 'screening'], [...E, 'screening', 'perCard'], G, [...G, 'simulate']]; // prettier-ignore
    for (const parent of unknownAt) {
      const faults = faultsOf(() => read(put(minimal(), [...parent, 'mistyped'], 1)));
      expect(faults.map(({ problem }) => problem)).toEqual(['is not a known key']);
      expect(faults[0]?.path).toMatch(/mistyped$/);
    }
  });

  it('signIn.issuer is https in production', () => {
    const faults = (issuer: string) => faultsOf(() => read(put(minimal(), ['signIn'], signIn({ issuer })), { NODE_ENV: 'production' }));
    const fault = { path: 'signIn.issuer', problem: 'must be https when NODE_ENV=production' };
    expect(faults('http://login.example')).toContainEqual(fault);
    expect(faults('https://login.example')).not.toContainEqual(fault);
  });

  it('controlKeyFile reads the control key without its last line break', () => {
    const withFile = put(put(minimal(), [...M, 'controlKey'], undefined), [...M, 'controlKeyFile'], 'control.key');
    expect(merchant(read(withFile)).controlKey.reveal()).toBe(KEY);
  });

  it.each([
    ['missing.key', /cannot be read \(ENOENT\)/],
    ['zz.key', /must name a file that contains hexadecimal/],
    ['a-folder', /does not name a regular file/],
    ['large.key', /more than 65536 bytes/],
  ])('controlKeyFile rejects the file %s', (file, problem) => {
    const withFile = put(put(minimal(), [...M, 'controlKey'], undefined), [...M, 'controlKeyFile'], file);
    expect(faultsOf(() => read(withFile))).toEqual([{ path: 'merchants[0].controlKeyFile', problem: expect.stringMatching(problem) }]);
  });

  it('of a secret is rejected if both forms are given or a required one is missing', () => {
    expect(faultsOf(() => read(put(minimal(), [...M, 'controlKeyFile'], 'control.key')))).toEqual([
      { path: 'merchants[0].controlKeyFile', problem: 'cannot be combined with controlKey: use one of the two' },
    ]);
    const both = put(put(minimal(), [...M, 'callback', 'secret'], SECRET), [...M, 'callback', 'secretFile'], 'callback.secret');
    expect(faultsOf(() => read(both))).toEqual([
      { path: 'merchants[0].callback.secretFile', problem: 'cannot be combined with secret: use one of the two' },
    ]);
    expect(faultsOf(() => read(put(minimal(), [...M, 'controlKey'], undefined)))).toEqual([
      { path: 'merchants[0].controlKey', problem: 'is required (or controlKeyFile)' },
    ]);
  });
});
