import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, type Instant } from '@app/kernel';
import {
  accountVerificationControl,
  amountFollowUpControl,
  cardInfoControl,
  GROUP_A_OPERATIONS,
  isOauthSigned,
  orderControl,
  parseAuthorization,
  SIGNED_TEXTS,
} from '@app/gateway-protocol';
import { configurationFrom } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { fieldsOf, curlLine, shellWord, readPrivateKey, signRequest, type SignedOperation } from './sign';
import { CommandFailed } from '../terminal';

it('splits a field at the first equals sign and accepts an empty value', () => {
  expect([...fieldsOf(['amount=10.42', 'order_desc=a=b', 'email='])]).toStrictEqual([
    ['amount', '10.42'],
    ['order_desc', 'a=b'],
    ['email', ''],
  ]);
});

it.each([
  ['without an equals sign', ['amount'], 'fields are given as key=value'],
  ['without a name', ['=10.42'], 'fields are given as key=value'],
  ['that is given twice', ['amount=10.42', 'email=a@example.com', 'amount=10.42'], 'amount is given twice'],
])('rejects a field %s with exit code 2', (_what, pairs, message) => {
  expect(() => fieldsOf(pairs)).toThrow(expect.objectContaining({ name: 'CommandFailed', message, exitCode: 2 }) as Error);
});

it('prints a curl command on one line with shell quoting', () => {
  const line = curlLine({ url: 'http://127.0.0.1:8080/paynet/api/v2/status/1001', fields: [['order_desc', "Mary's tea"]] });
  expect(line).toBe(`curl -sS http://127.0.0.1:8080/paynet/api/v2/status/1001 --data-urlencode 'order_desc=Mary'\\''s tea'`);
});

it('includes the Authorization header of a v4 request', () => {
  const line = curlLine({ url: 'http://127.0.0.1:8080/x', authorization: 'OAuth oauth_nonce="1"', fields: [] });
  expect(line).toBe(`curl -sS http://127.0.0.1:8080/x --header 'Authorization: OAuth oauth_nonce="1"'`);
});

it('throws for a callback, which has no request address', () => {
  expect(() => curlLine({ url: undefined, fields: [] })).toThrow(CommandFailed);
});

it('quotes every text so that the shell passes it unchanged', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\ud800-\udfff]/.test(text)),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(texts, (words) => {
      const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toStrictEqual(words);
    }),
    { numRuns: 30 },
  );
});

const folder = mkdtempSync(join(tmpdir(), 'private-key-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (content: string): string => {
  const path = join(folder, 'key.pem');
  writeFileSync(path, content);
  return path;
};
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

it('reads an RSA key in PEM', () => {
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  expect(readPrivateKey(file(pem)).asymmetricKeyType).toBe('rsa');
});

it.each([
  ['no file', () => join(folder, 'none.pem')],
  ['no key', () => file('secret words')],
  ['the public half', () => file(rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string)],
  ['another kind of key', () => file(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)],
  ['a file without end', () => file('x'.repeat(65_537))],
])('rejects %s as a private key without quoting its content', (_what, path) => {
  const read = () => readPrivateKey(path());
  expect(read).toThrow(CommandFailed);
  expect(read).not.toThrow(/secret words|BEGIN/);
});

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const configuration = configurationFrom(
  JSON.stringify({
    publicBaseUrl: 'http://127.0.0.1:9',
    merchants: [
      {
        login: 'merchantlogin',
        controlKey: KEY,
        endpoints: [
          { id: '1111', currency: 'USD', gates: ['gate'] },
          { id: '1112', currency: 'EUR', gates: ['gate'] },
        ],
        groups: [{ id: '2222', endpoints: ['1111', '1112'] }],
      },
      {
        login: 'other',
        controlKey: '00112233445566778899aabbccddeeff',
        rebillControl: 'without-endpoint',
        endpoints: [{ id: '3333', currency: 'USD', gates: ['gate'] }],
      },
    ],
    gates: [{ alias: 'gate', adapter: 'simulator', currencies: ['USD', 'EUR'] }],
  }),
  { source: 'the test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
);

const sign = (operation: SignedOperation, fields: Readonly<Record<string, string>>, at: { endpoint?: string; group?: string } = {}) =>
  signRequest({ operation, fields: new Map(Object.entries(fields)), ...at }, configuration);

const order = { login: 'merchantlogin', client_orderid: '902B4FF5', orderid: '161944' };
const sale = { client_orderid: '902B4FF5', amount: '10.42', email: 'john.smith@gmail.com' };
const card = { login: 'merchantlogin', cardrefid: '1326586' };
const rebill = { login: 'merchantlogin', client_orderid: '902B4FF5', cardrefid: '1326586', amount: '10.42', currency: 'USD' };

const known = new Set<string>();

describe('known answers (protocol decisions, section 5)', () => {
  const ROWS = [
    ['sale', sale, { endpoint: '1111' }, 'c6bdd88a78834ef4b863b088827a459f039e8257'],
    ['create-card-ref', order, {}, '1cd4c88052e861c1f56a57ff0d3741c40e4d589f'],
    ['status', order, {}, '1cd4c88052e861c1f56a57ff0d3741c40e4d589f'],
    ['make-rebill-sale', rebill, { endpoint: '1111' }, '32d2d34c1715aff2224989ad6ff60b1889b2a63b'],
  ] as const;
  ROWS.forEach(([operation]) => known.add(operation));

  it.each(ROWS)('%s', (operation, fields, at, control) => {
    expect(sign(operation, fields, at).control).toBe(control);
  });

  it('trims values like the service', () => {
    expect(sign('status', { ...order, orderid: ' 161944\n' }).control).toBe('1cd4c88052e861c1f56a57ff0d3741c40e4d589f');
  });
});

describe("the checksum of each other operation equals the service's", () => {
  const key = new Secret(KEY);
  const named = { login: order.login, clientOrderId: order.client_orderid, orderId: order.orderid };
  const ROWS: readonly (readonly [SignedOperation, Readonly<Record<string, string>>, string])[] = [
    ['preauth', sale, 'c6bdd88a78834ef4b863b088827a459f039e8257'],
    ['make-rebill-preauth', rebill, '32d2d34c1715aff2224989ad6ff60b1889b2a63b'],
    [
      'account-verification',
      { client_orderid: '902B4FF5', email: sale.email },
      accountVerificationControl({ entryPoint: '1111', clientOrderId: '902B4FF5', email: sale.email }, key),
    ],
    ['void', order, orderControl(named, key)],
    ['capture', order, orderControl(named, key)],
    ['return', order, orderControl(named, key)],
    ['capture', { ...order, amount: '4.2', currency: 'USD' }, amountFollowUpControl(named, { amountMinor: 420n, currency: 'USD' }, key)],
    ['return', { ...order, amount: '4.20', currency: 'USD' }, amountFollowUpControl(named, { amountMinor: 420n, currency: 'USD' }, key)],
    ['get-card-info', card, cardInfoControl({ login: card.login, cardRefId: card.cardrefid }, key)],
  ];
  ROWS.forEach(([operation]) => known.add(operation));

  it.each(ROWS)('%s', (operation, fields, control) => {
    expect(sign(operation, fields, { endpoint: '1111' }).control).toBe(control);
  });

  it('is tested for each signed text', () => {
    const tested = Object.values(GROUP_A_OPERATIONS).flatMap(({ name, proof }) =>
      proof.kind === 'control' && known.has(name) ? [proof.text] : [],
    );
    expect(new Set(tested)).toStrictEqual(new Set(Object.keys(SIGNED_TEXTS)));
  });
});

describe('version 4', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const oauth = { privateKey, nonce: 'n-1', now: 1_700_000_000_000 as Instant };
  const v4 = (operation: SignedOperation, at: { endpoint?: string; group?: string }) =>
    signRequest({ operation, fields: new Map([['client_orderid', '902B4FF5'], ['orderid', ' 161944']]), oauth, ...at }, configuration); // prettier-ignore

  it.each([
    ['create-card-ref', { endpoint: '1111' }, 'create-card-ref/1111'],
    ['status', { group: '2222' }, 'status/group/2222'],
  ] as const)('signs %s with the RSA key, untrimmed values and no control', (operation, at, path) => {
    const { url, authorization = '', control, fields } = v4(operation, at);
    expect(url).toBe(`http://127.0.0.1:9/paynet/api/v4/${path}`);
    expect([control, fields]).toStrictEqual([undefined, [['client_orderid', '902B4FF5'], ['orderid', ' 161944']]]); // prettier-ignore
    const claim = parseAuthorization(authorization);
    if (claim === undefined || url === undefined) throw new Error('not signed');
    expect(claim.consumerKey).toBe('merchantlogin');
    expect(isOauthSigned(claim, { method: 'POST', url, parameters: fields }, publicKey)).toBe(true);
  });

  it('rejects the other operations', () => {
    expect(() => v4('sale', { endpoint: '1111' })).toThrow('version 4 has create-card-ref and status');
  });
});

it('puts the control last and replaces a given one', () => {
  const { fields } = sign('status', { control: 'old', ...order });
  expect(fields.map(([name]) => name)).toStrictEqual(['login', 'client_orderid', 'orderid', 'control']);
});

it.each([
  [{ endpoint: '1112' }, 'http://127.0.0.1:9/paynet/api/v2/status/1112'],
  [{ group: '2222' }, 'http://127.0.0.1:9/paynet/api/v2/status/group/2222'],
  [{}, 'http://127.0.0.1:9/paynet/api/v2/status/1111'],
])("uses the given entry point or the merchant's first one: %j", (at, url) => {
  expect(sign('status', order, at).url).toBe(url);
});

it('signs the id of a group instead of that of an endpoint', () => {
  expect(sign('sale', sale, { group: '2222' }).control).not.toBe(sign('sale', sale, { endpoint: '1111' }).control);
});

it("omits the endpoint from the checksum of a recurrent payment if the merchant's configuration requires it", () => {
  const at = { endpoint: '3333' };
  const signed = sign('make-rebill-sale', { ...rebill, login: 'other' }, at);
  expect(signed.control).toBe('540e33c013d7795fc4a4abb307a22e2c994fa43e');
});

it('signs a callback with the key of the named merchant and sets no address', () => {
  const signed = sign('callback', { login: 'other', status: 'approved', orderid: '1', client_orderid: '2' });
  expect(signed.url).toBeUndefined();
  expect(signed.control).toMatch(/^[0-9a-f]{40}$/);
});

it.each([
  ['a field that is signed and missing', () => sign('sale', { client_orderid: '1', amount: '1' }, { endpoint: '1111' }), 'email'],
  ['an invalid amount', () => sign('sale', { ...sale, amount: '1,5' }, { endpoint: '1111' }), 'amount'],
  ['a follow-up with an amount and no currency', () => sign('capture', { ...order, amount: '1' }), 'currency'],
  ['an account verification without entry point', () => sign('account-verification', sale), '--endpoint or --group'],
  ['a sale without entry point', () => sign('sale', sale), '--endpoint or --group'],
  ['an unknown endpoint', () => sign('sale', sale, { endpoint: '9' }), 'no such endpoint'],
  ['a group under --endpoint', () => sign('sale', sale, { endpoint: '2222' }), 'no such endpoint'],
  ['both', () => sign('sale', sale, { endpoint: '1111', group: '2222' }), 'not both'],
  ['a login of another merchant', () => sign('status', order, { endpoint: '3333' }), 'not one of merchantlogin'],
  ['an unknown login', () => sign('status', { ...order, login: 'nobody' }), 'no such merchant'],
])('rejects %s without showing a key', (_what, attempt, words) => {
  let message = '';
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(CommandFailed);
    message = (error as Error).message;
  }
  expect(message).toContain(words);
  expect(message).not.toContain(KEY);
});
