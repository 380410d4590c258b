import { noFailpoints, systemClock, systemScheduler, type EndpointId, type OrderId } from '@app/kernel';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { egressPolicyOf } from '@app/egress';
import {
  accountVerificationControl,
  amountFollowUpControl,
  encodeForm,
  initialPaymentControl,
  orderControl,
  parseFormAnswer,
  rebillControl,
  type ControlKey,
} from '@app/gateway-protocol';
import { configurationFrom } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { OrderStatusView } from '@app/projections';
import type { FollowUpRefused, FollowUpAcceptedAnswer } from '@app/order-processing';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EGRESS_POLICY } from '@app/egress/egress.tokens';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, SCHEDULER } from '@app/injection';
import { RequestFollowUpHandler } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { AcceptPaymentHandler } from '@app/payment';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { sampleGates, VirtualClock } from '@app/testing';
import { GroupAModule } from './group-a.module';
import { MERCHANT_API_WATCH } from './merchant-api/merchant-api.watch';
import type { ExistingOrders } from './merchant-api/orders/existing-order';
import { testDigests } from './merchant-api/testing/keyed-digests';
import { openMerchantPort, type MerchantPort } from './merchant-api/testing/merchant-port';
import { unusedParts } from './merchant-api/testing/unused-parts';
import { KeysOfUnknownMerchants } from './request/unknown-merchants/keys-of-unknown-merchants';

const deadlineClock = new VirtualClock();

const configuration = configurationFrom(
  JSON.stringify({
    merchants: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
        endpoints: [
          { id: '1001', currency: 'EUR', gates: ['sim-a'] },
          { id: '1002', currency: 'USD', gates: ['sim-a'], operations: ['sale', 'status'] },
        ],
        groups: [{ id: '2001', endpoints: ['1001', '1002'] }],
      },
    ],
    gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['EUR', 'USD'] }],
  }),
  { source: 'the test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
);
const { accounts } = configuration;
const [acme] = accounts.merchants;
const KEY: ControlKey = acme.controlKey;

const PREAUTHORISED = {
  orderId: 'p0preauthorised0r',
  clientOrderId: 'pre-1',
  amountMinor: '1042',
  currency: 'EUR',
  endpointId: '1001',
  requests: [],
} as unknown as OrderStatusView;
const ORDER_ID = 'p0preauthorisedr' as OrderId;

/** What the contexts were asked, in their own words. */
const asked: Record<string, unknown>[] = [];
let followUpOutcome: FollowUpAcceptedAnswer | FollowUpRefused;
const taken = (request: object) => {
  asked.push(request as Record<string, unknown>);
  return Promise.resolve({ reason: 'accepted' as const, orderId: ORDER_ID, endpointId: '1001' as EndpointId });
};
const orders: ExistingOrders = {
  find: (login, clientOrderId, orderId) =>
    Promise.resolve(login === 'acme' && clientOrderId === 'pre-1' && orderId === ORDER_ID ? PREAUTHORISED : undefined),
  findOfKind: () => Promise.resolve(undefined),
};
const OPERATIONS = ['sale', 'preauth', 'account-verification', 'make-rebill-sale', 'make-rebill-preauth', 'capture', 'return', 'void'];
const followUps = {
  handle: (wish: object) => {
    asked.push(wish as Record<string, unknown>);
    return Promise.resolve(followUpOutcome);
  },
};

let port: MerchantPort;
let serials = 0;
beforeAll(async () => {
  const given = unusedParts([
    [CONFIGURATION, configuration],
    [ACCOUNTS, accounts],
    [GATES, sampleGates(() => ['charging', 'authorising', 'verifying'])],
    [CARD_VAULT, testDigests],
    [EGRESS_POLICY, egressPolicyOf({ allow: [], ports: new Set(), plainHttp: false }, false)],
    [BOOT_ID, 'boot'],
    [KeysOfUnknownMerchants, new KeysOfUnknownMerchants(accounts)],
    [SerialNumbers, { next: () => `00000000-0000-0000-0000-${(++serials).toString(16).padStart(12, '0')}` }],
    [RequestDeadlines, new RequestDeadlines(deadlineClock, deadlineClock)],
    [REQUEST_EVENT_STORE, new MemoryEventStore(new VirtualClock())],
    [SCHEDULER, systemScheduler],
    [CLOCK, systemClock],
    [FAILPOINTS, noFailpoints],
    [MERCHANT_API_WATCH, { served: () => undefined, failed: () => undefined }],
    [CurrentOrderReader, orders],
    [AcceptPaymentHandler, { handle: taken }],
    [ChargeRegisteredCardHandler, { handle: taken }],
    [RequestFollowUpHandler, followUps],
  ]);
  port = await openMerchantPort(given, { imports: [GroupAModule] });
});
afterAll(() => port.close());
beforeEach(() => {
  asked.length = 0;
  followUpOutcome = { reason: 'accepted', orderId: ORDER_ID, endpointId: '1001' as EndpointId, number: 1 };
});

type Fields = Readonly<Record<string, string | undefined>>;
const post = async (path: string, fields: Fields, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${port.url}/api/v2/${path.replace('/endpoint/', '/')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: encodeForm(Object.entries(fields)),
  });
  return Object.fromEntries(parseFormAnswer(await response.text()));
};

const INITIAL = {
  client_orderid: 'o-1',
  order_desc: 'shoes',
  card_printed_name: 'JOHN SMITH',
  credit_card_number: '4444333322221111',
  expire_month: '12',
  expire_year: '2039',
  cvv2: '123',
  address1: '1 Main Street',
  city: 'Springfield',
  zip_code: '12345',
  country: 'US',
  state: 'CA',
  email: 'john@shop.example',
  ipaddress: '203.0.113.7',
};
const PAID = { ...INITIAL, phone: '+1', amount: '10.42', currency: 'EUR' };
const paid = { clientOrderId: 'o-1', email: INITIAL.email };

describe('preauth (protocol decisions, section 10)', () => {
  it('signs and says what a sale does, and is another operation', async () => {
    const control = initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...paid }, KEY);
    const answer = await post('preauth/endpoint/1001', { ...PAID, control });
    expect(answer).toMatchObject({
      type: 'async-response',
      'merchant-order-id': 'o-1',
      'paynet-order-id': ORDER_ID,
      'end-point-id': '1001',
    });
    await post('sale/endpoint/1001', { ...PAID, control });
    const [preauth, sale] = asked;
    expect(preauth).toMatchObject({
      operation: 'preauth',
      amount: { minor: 1_042n, currency: 'EUR' },
      offer: { plan: { operation: 'preauth' } },
    });
    expect(sale).toMatchObject({ operation: 'sale' });
    expect(preauth?.['contentDigest']).not.toBe(sale?.['contentDigest']);
  });

  it('an amount with zeros behind its decimals counts as the one without, in checksum and content', async () => {
    const control = initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...paid }, KEY);
    for (const amount of ['10.42', '10.4200', '10.42000000']) await post('sale/endpoint/1001', { ...PAID, amount, control });
    expect(asked).toMatchObject([{ amount: { minor: 1_042n } }, { amount: { minor: 1_042n } }, { amount: { minor: 1_042n } }]);
    expect(new Set(asked.map(({ contentDigest }) => contentDigest)).size).toBe(1);
    for (const amount of ['10.4201', '10.42000000000000'])
      expect(await post('sale/endpoint/1001', { ...PAID, amount, control })).toMatchObject({ 'error-code': '1' });
  });

  it('is refused with code 10 where the entry point does not list it', async () => {
    const control = initialPaymentControl({ entryPoint: '1002', amountMinor: 1_042n, ...paid }, KEY);
    await post('preauth/endpoint/1002', { ...PAID, currency: 'USD', control });
    expect(asked).toMatchObject([{ offer: { kind: 'refused', reason: 'operation-not-offered' } }]);
  });
});

describe('account verification (protocol decisions, sections 1, 5 and 10)', () => {
  const control = (entryPoint: string) => accountVerificationControl({ entryPoint, ...paid }, KEY);

  it('signs no amount, moves none, and needs no phone', async () => {
    const answer = await post('account-verification/endpoint/1001', { ...INITIAL, control: control('1001') });
    expect(answer).toMatchObject({ type: 'async-response', 'end-point-id': '1001' });
    expect(asked).toMatchObject([
      { operation: 'account-verification', amount: { minor: 0n, currency: 'EUR' }, customer: { holder: 'JOHN SMITH' } },
    ]);
    expect(asked[0]?.['customer']).not.toHaveProperty('phone');
  });

  it('takes the first endpoint of a group, whose id stands in the checksum', async () => {
    expect(await post('account-verification/group/2001', { ...INITIAL, control: control('1001') })).toMatchObject({ 'error-code': '2' });
    expect(await post('account-verification/group/2001', { ...INITIAL, control: control('2001') })).toMatchObject({
      type: 'async-response',
    });
    expect(asked).toMatchObject([{ amount: { currency: 'EUR' }, offer: { kind: 'served', endpointId: '1001' } }]);
  });

  it('needs the CVV, and passes over an amount', async () => {
    const { cvv2: _cvv2, ...rest } = INITIAL;
    expect(await post('account-verification/endpoint/1001', { ...rest, control: control('1001') })).toMatchObject({
      'error-code': '1',
      'error-message': 'cvv2 is required',
    });
    expect(await post('account-verification/endpoint/1001', { ...INITIAL, amount: 'x', control: control('1001') })).toMatchObject({
      type: 'async-response',
    });
  });
});

describe('recurrent payment and pre-authorisation (interface, section 2.4; protocol decisions, section 7)', () => {
  const REBILL = {
    login: 'acme',
    client_orderid: 'r-1',
    cardrefid: 'csample0reference00c',
    order_desc: 'March',
    amount: '10.42',
    currency: 'EUR',
    ipaddress: '203.0.113.7',
  };
  const control = rebillControl(
    { entryPoint: '1001', login: 'acme', clientOrderId: 'r-1', cardRefId: REBILL.cardrefid, amountMinor: 1_042n, currency: 'EUR' },
    KEY,
  );

  it.each([
    ['make-rebill-sale', 'sale'],
    ['make-rebill-preauth', 'preauth'],
  ])('%s is a %s at the gate', async (name, operation) => {
    const answer = await post(`${name}/endpoint/1001`, { ...REBILL, control });
    expect(answer).toMatchObject({ type: 'async-response', 'paynet-order-id': ORDER_ID });
    expect(answer).not.toHaveProperty('end-point-id');
    expect(asked).toMatchObject([{ operation, offer: { plan: { operation } } }]);
    expect(asked[0]).not.toHaveProperty('amounts');
  });

  it('enumerate_amounts comes in its order, under a control of the amount', async () => {
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts: '10.42,5,0.5', control });
    const amounts = [1_042n, 500n, 50n].map((minor) => ({ minor, currency: 'EUR' }));
    expect(asked).toMatchObject([{ amount: { minor: 1_042n }, amounts }]);
  });

  it('enumerate_amounts with zeros behind the decimals is the same content', async () => {
    for (const enumerate_amounts of ['10.42,5.00', '10.4200,5.0000'])
      await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts, control });
    expect(asked[0]?.['contentDigest']).toBe(asked[1]?.['contentDigest']);
  });

  it('is signed with or without the entry point, where nothing else is configured', async () => {
    const signed = {
      entryPoint: '1001',
      login: 'acme',
      clientOrderId: 'r-1',
      cardRefId: REBILL.cardrefid,
      amountMinor: 1_042n,
      currency: 'EUR',
    };
    for (const form of ['with-endpoint', 'without-endpoint'] as const) {
      const answer = await post('make-rebill-sale/endpoint/1001', { ...REBILL, control: rebillControl(signed, KEY, form) });
      expect(answer).toMatchObject({ type: 'async-response' });
    }
  });

  it.each(['', '10.42', '5,10.42'])('another enumerate_amounts is other content: %j', async (enumerate_amounts) => {
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts: '10.42,5', control });
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts, control });
    expect(asked[0]?.['contentDigest']).not.toBe(asked[1]?.['contentDigest']);
  });
});

describe('follow-ups (protocol decisions, sections 5 and 10)', () => {
  const NAMED = { login: 'acme', client_orderid: 'pre-1', orderid: ORDER_ID };
  const named = { login: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID };
  const bare = orderControl(named, KEY);
  const partial = { amount: '4.20', currency: 'EUR', control: amountFollowUpControl(named, { amountMinor: 420n, currency: 'EUR' }, KEY) };
  const inFull = amountFollowUpControl(named, { amountMinor: 1_042n, currency: 'EUR' }, KEY);

  it.each(['capture', 'return', 'void'])('%s of all that is left', async (name) => {
    const answer = await post(`${name}/endpoint/1001`, { ...NAMED, control: bare });
    expect(answer).toMatchObject({ type: 'async-response', 'paynet-order-id': ORDER_ID, 'end-point-id': '1001' });
    const serial = answer['serial-number'];
    const request = { serial, callerTrace: undefined, deadline: expect.objectContaining({ isOver: false }) as unknown };
    expect(asked).toStrictEqual([{ merchant: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID, kind: name, ...request }]);
  });

  it.each(['capture', 'return'])('%s of an amount signs amount and currency', async (name) => {
    expect(await post(`${name}/endpoint/1001`, { ...NAMED, ...partial })).toMatchObject({ type: 'async-response' });
    expect(asked).toMatchObject([{ kind: name, amount: { minor: 420n, currency: 'EUR' } }]);
    for (const change of [{ amount: '4.21' }, { currency: 'USD' }, { control: bare }, { amount: undefined, currency: undefined }]) {
      expect([change, await post(`${name}/endpoint/1001`, { ...NAMED, ...partial, ...change })]).toMatchObject([
        change,
        { 'error-code': '2' },
      ]);
    }
  });

  it.each(['capture', 'return', 'void'])('%s of an orderid that was signed with the line feed of our answer behind it', async (name) => {
    const orderid = `${ORDER_ID}\n`;
    const control = orderControl({ ...named, orderId: orderid }, KEY);
    expect(await post(`${name}/endpoint/1001`, { ...NAMED, orderid, control })).toMatchObject({ type: 'async-response' });
    expect(await post(`${name}/endpoint/1001`, { ...NAMED, orderid, control: bare })).toMatchObject({ type: 'async-response' });
    expect(asked).toMatchObject([
      { orderId: ORDER_ID, kind: name },
      { orderId: ORDER_ID, kind: name },
    ]);
    // The text that is signed is the one that is sent: another white space is another text.
    for (const other of [ORDER_ID, `${ORDER_ID} `, `\n${ORDER_ID}`, `${ORDER_ID}\n\n`])
      expect([other, await post(`${name}/endpoint/1001`, { ...NAMED, orderid: other, control })]).toMatchObject([
        other,
        { 'error-code': '2' },
      ]);
    expect(await post(`${name}/endpoint/1001`, { ...NAMED, login: 'nobody', orderid, control })).toMatchObject({ 'error-code': '2' });
  });

  it('a full capture may be signed so with the order’s amount, too', async () => {
    const orderid = `${ORDER_ID}\n`;
    const control = amountFollowUpControl({ ...named, orderId: orderid }, { amountMinor: 1_042n, currency: 'EUR' }, KEY);
    expect(await post('capture/endpoint/1001', { ...NAMED, orderid, control })).toMatchObject({ type: 'async-response' });
  });

  it('a comment goes with a return', async () => {
    await post('return/endpoint/1001', { ...NAMED, comment: 'too small', control: bare });
    expect(asked).toMatchObject([{ comment: 'too small' }]);
  });

  it('a void has no amount: one that is sent is passed over', async () => {
    expect(await post('void/endpoint/1001', { ...NAMED, amount: 'x', control: bare })).toMatchObject({ type: 'async-response' });
    expect(asked[0]).not.toHaveProperty('amount');
  });

  it('a full capture may be signed with the order’s amount and currency, which are not sent; no other follow-up may', async () => {
    expect(await post('capture/endpoint/1001', { ...NAMED, control: inFull })).toMatchObject({ type: 'async-response' });
    expect(asked[0]).not.toHaveProperty('amount');
    for (const name of ['return', 'void'])
      expect(await post(`${name}/endpoint/1001`, { ...NAMED, control: inFull })).toMatchObject({ 'error-code': '2' });
    const unknown = { ...NAMED, client_orderid: 'pre-2' };
    const nothing = amountFollowUpControl({ ...named, clientOrderId: 'pre-2' }, { amountMinor: 0n, currency: '' }, KEY);
    expect(await post('capture/endpoint/1001', { ...unknown, control: nothing })).toMatchObject({ 'error-code': '2' });
  });

  it.each<[string, Fields, string, string]>([
    ['an amount that cannot be read goes before the checksum', { amount: '4,20', control: 'x' }, '1', 'amount'],
    [
      'an amount without currency',
      { amount: '4.20', control: amountFollowUpControl(named, { amountMinor: 420n, currency: '' }, KEY) },
      '1',
      'currency',
    ],
    ['a currency without amount', { currency: 'EUR', control: bare }, '1', 'amount'],
    ['no orderid', { orderid: undefined, control: orderControl({ ...named, orderId: '' }, KEY) }, '1', 'orderid'],
    ['an orderid of no shape', { orderid: '12', control: orderControl({ ...named, orderId: '12' }, KEY) }, '3', 'Order not found'],
    ['an unknown login', { login: 'nobody', control: bare }, '2', 'INVALID_CONTROL_CODE'],
  ])('%s is refused', async (_what, fields, code, words) => {
    const answer = await post('capture/endpoint/1001', { ...NAMED, ...fields });
    expect(answer).toMatchObject({
      type: 'validation-error',
      'error-code': code,
      'error-message': expect.stringContaining(words) as string,
    });
    expect(asked).toStrictEqual([]);
  });

  it.each([
    ['order-unknown', '3'],
    ['order-not-final', '4'],
    ['operation-not-possible', '11'],
    ['operation-not-supported', '10'],
    ['amount-out-of-range', '9'],
    ['currency-not-served', '8'],
    ['gate-not-configured', '10'],
  ] as const)('%s is code %s', async (reason, code) => {
    followUpOutcome = { reason };
    expect(await post('return/endpoint/1001', { ...NAMED, control: bare })).toMatchObject({ type: 'validation-error', 'error-code': code });
  });

  it('of an order whose gate is not configured says so, for a merchant who has done nothing wrong', async () => {
    followUpOutcome = { reason: 'gate-not-configured' };
    expect(await post('return/endpoint/1001', { ...NAMED, control: bare })).toMatchObject({
      type: 'validation-error',
      'error-message': 'The gate of the order is not connected any more',
      'error-code': '10',
    });
  });

  it('an entry point that does not list it answers code 10; another of the merchant may', async () => {
    expect(await post('capture/endpoint/1002', { ...NAMED, control: bare })).toMatchObject({ 'error-code': '10' });
    expect(asked).toStrictEqual([]);
    expect(await post('capture/group/2001', { ...NAMED, control: bare })).toMatchObject({ type: 'async-response' });
  });

  it('a key makes two equal returns one; without a key they are two', async () => {
    const key = { 'idempotency-key': '"return-1"' };
    const first = await post('return/endpoint/1001', { ...NAMED, ...partial }, key);
    // The log of this test holds none of them: the handler is asked again, under the recorded serial.
    expect(await post('return/endpoint/1001', { ...NAMED, ...partial }, { 'idempotency-key': 'return-1' })).toStrictEqual(first);
    const other = await post('return/endpoint/1001', { ...NAMED, ...partial });
    expect(other['serial-number']).not.toBe(first['serial-number']);
    expect(asked.map(({ serial }) => serial)).toStrictEqual([first['serial-number'], first['serial-number'], other['serial-number']]);
  });

  it('a key that is none is code 1, naming the header, and nothing is asked', async () => {
    const answer = await post('return/endpoint/1001', { ...NAMED, control: bare }, { 'idempotency-key': '""' });
    expect(answer).toMatchObject({ 'error-code': '1', 'error-message': expect.stringContaining('Idempotency-Key') as string });
    expect(await post('return/endpoint/1001', { ...NAMED, control: 'x' }, { 'idempotency-key': '""' })).toMatchObject({
      'error-code': '2',
    });
    expect(asked).toStrictEqual([]);
  });
});

describe('an Idempotency-Key (protocol decisions, section 10)', () => {
  const named = { login: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID };
  const followUp = { login: 'acme', client_orderid: 'pre-1', orderid: ORDER_ID, control: orderControl(named, KEY) };
  const withAmount = { ...PAID, control: initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...paid }, KEY) };
  const rebill = { login: 'acme', clientOrderId: 'r-1', cardRefId: 'csample0reference00c', amountMinor: 1_042n, currency: 'EUR' };
  const recurrent = {
    login: 'acme',
    client_orderid: 'r-1',
    cardrefid: 'csample0reference00c',
    order_desc: 'March',
    amount: '10.42',
    currency: 'EUR',
    ipaddress: '203.0.113.7',
    control: rebillControl({ entryPoint: '1001', ...rebill }, KEY),
  };
  const REQUESTS: Readonly<Record<string, Fields>> = {
    sale: withAmount,
    preauth: withAmount,
    'account-verification': { ...INITIAL, control: accountVerificationControl({ entryPoint: '1001', ...paid }, KEY) },
    'make-rebill-sale': recurrent,
    'make-rebill-preauth': recurrent,
    capture: followUp,
    return: followUp,
    void: followUp,
  };

  it.each(OPERATIONS)('is honoured on %s: the answer and its serial again, and code 1 for what is no key', async (name) => {
    const fields = REQUESTS[name] ?? {};
    const sent = { 'idempotency-key': `key-of-${name}` };
    const first = await post(`${name}/endpoint/1001`, fields, sent);
    expect(first).toMatchObject({ type: 'async-response' });
    expect(await post(`${name}/endpoint/1001`, fields, sent)).toStrictEqual(first);
    expect(await post(`${name}/endpoint/1001`, fields, { 'idempotency-key': '"' })).toMatchObject({
      'error-code': '1',
      'error-message': expect.stringContaining('Idempotency-Key') as string,
    });
  });
});
