import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { refusal } from '../../support/merchants/refusal';
import {
  FOURTH_CONTROL_KEY,
  OTHER_CONTROL_KEY,
  sandboxConfiguration,
  THIRD_CONTROL_KEY,
} from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(30_000);

const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
const ORDER_ID = /^[12]\d{9}$/;

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  const configuration = sandboxConfiguration({
    ports: [receiver.port],
    endpoints: [
      { id: '1006', currency: 'USD', gates: ['sim-cvv'] },
      { id: '1007', currency: 'USD', gates: ['sim-a'], maxAmount: '50.00' },
      { id: '1008', currency: 'USD', gates: ['sim-a'], operations: ['sale', 'status'] },
    ],
    merchants: [
      {
        login: 'third',
        controlKey: THIRD_CONTROL_KEY,
        rebillControl: 'with-endpoint',
        endpoints: [{ id: '3001', currency: 'USD', gates: ['sim-a'] }],
      },
      {
        login: 'fourth',
        controlKey: FOURTH_CONTROL_KEY,
        rebillControl: 'without-endpoint',
        endpoints: [{ id: '4001', currency: 'USD', gates: ['sim-a'] }],
      },
    ],
    gates: [{ alias: 'sim-cvv', adapter: 'simulator', currencies: ['USD'], cvvRequired: true }],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  cardRefId = await acme.registeredCard();
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
});

const withoutSerial = ({ status, body, fields }: Answer) => ({ status, body: body.replace(fields['serial-number'] ?? '-', '') });

describe('the response (interface, section 2.4; decisions, section 1)', () => {
  it.each([
    ['by endpoint', { at: '1001' }, 'USD', '1001'],
    ['by group', { at: 'group/2001' }, 'EUR', '1002'],
    ['by the alias make-rebill', { at: '1001', path: 'make-rebill' }, 'USD', '1001'],
    ['by the alias make-rebill and group [W168]', { at: 'group/2001', path: 'make-rebill' }, 'USD', '1001'],
  ])('%s contains every field of the table, and the order is charged [W27, W167, W182]', async (_title, sending, currency, endpoint) => {
    const clientOrderId = acme.newOrderId();
    const { status, fields } = await acme.rebill(cardRefId, { client_orderid: clientOrderId, currency }, sending);
    expect(status).toBe(200);
    expect(fields).toStrictEqual({
      type: 'async-response',
      'serial-number': expect.stringMatching(SERIAL),
      'merchant-order-id': clientOrderId,
      'paynet-order-id': expect.stringMatching(ORDER_ID),
    });
    expect(await acme.finalStatus({ clientOrderId, orderId: fields['paynet-order-id'] ?? '' })).toMatchObject({
      status: 'approved',
      'transaction-type': 'sale',
      'order-stage': 'sale_approved',
      amount: '5.50',
      currency,
      'end-point-id': endpoint,
    });
  });
});

describe('each field (interface, section 2.4)', () => {
  const callback = (length: number) => receiver.url().padEnd(length, 'a');
  const text64k = `${'€'.repeat(21_845)}x`;

  it.each<[field: string, how: string, value: string | (() => string)]>([
    ['client_orderid', '128 characters', 'c'.repeat(100) + '-'.repeat(27) + '1'],
    ['order_desc', '65,536 bytes of UTF-8', text64k],
    ['amount', 'zeros behind its decimals', '9999999.99000000'],
    ['cvv2', 'empty', ''],
    ['ipaddress', 'IPv6 of 45 characters', '0000:0000:0000:0000:0000:ffff:255.255.255.255'],
    ['server_callback_url', '1,024 characters', () => callback(1_024)],
    ['merchant_data', '65,536 bytes of UTF-8', text64k],
  ])('%s is accepted at its limit: %s [W17, W494]', async (field, _how, given) => {
    const value = typeof given === 'function' ? given() : given;
    const order = await acme.accepted(acme.rebill(cardRefId, { [field]: value }));
    const status = await acme.finalStatus(order);
    expect(status).toMatchObject({ status: 'approved', 'merchant-order-id': field === 'client_orderid' ? value : order.clientOrderId });
    if (field === 'merchant_data') expect(status['merchantdata']).toBe(value);
    else expect(status).not.toHaveProperty('merchantdata');
  });

  it.each<[field: string, how: string, value: string | (() => string) | undefined]>([
    ['client_orderid', 'absent', undefined],
    ['cardrefid', 'absent', undefined],
    ['order_desc', '65,537 bytes of UTF-8', `${text64k}x`],
    ['enumerate_amounts', 'no amounts', '10;20'],
    ['server_callback_url', 'another scheme', 'ftp://203.0.113.9/x'],
  ])('%s is refused with code 1 and named in the message: %s [W15, W239]', async (field, _how, given) => {
    const value = typeof given === 'function' ? given() : given;
    const clientOrderId = acme.newOrderId();
    const { fields } = await acme.rebill(cardRefId, { client_orderid: clientOrderId, [field]: value });
    expect(fields).toMatchObject({
      type: 'validation-error',
      'error-code': '1',
      'error-message': expect.stringMatching(new RegExp(`^${field}\\b`)),
    });
    // A refused order is not accepted: no status finds it.
    if (field !== 'client_orderid') expect((await acme.status({ clientOrderId })).fields).toMatchObject(refusal('3', 'Order not found'));
  });

  it.each<[field: string, how: string, fields: Fields]>([
    ['login', 'absent', { login: undefined }],
    ['login', '21 characters', { login: 'a'.repeat(21) }],
    ['control', 'absent', { control: '' }],
    ['control', '41 characters', { control: '0'.repeat(41) }],
  ])('%s fails authentication if wrong: %s (interface, section 7.1) [W16, W270]', async (_field, _how, fields) => {
    expect((await acme.rebill(cardRefId, fields)).fields).toMatchObject({ 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });
  });

  it('is trimmed of white space (interface, section 2.1) [W3]', async () => {
    const clientOrderId = acme.newOrderId();
    const order = await acme.accepted(
      acme.rebill(` ${cardRefId}\n`, { client_orderid: `\t${clientOrderId} `, amount: ' 5.50 ', merchant_data: ' kept ' }),
    );
    expect(order.clientOrderId).toBe(clientOrderId);
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', amount: '5.50', merchantdata: 'kept' });
  });

  it('server_callback_url receives the outcome [W24, W25, W149]', async () => {
    const order = await acme.accepted(
      acme.rebill(cardRefId, { server_callback_url: receiver.url('/rebill'), merchant_data: 'subscription 7' }),
    );
    const { body } = await until(() => receiver.at('/rebill')[0], { what: 'the callback' });
    expect(JSON.parse(body)).toMatchObject({
      status: 'approved',
      orderid: order.orderId,
      amount: '5.50',
      merchantdata: 'subscription 7',
      control: acme.callbackControlOf('approved', order),
    });
  });
});

describe('refusals of the operation (decisions, section 4)', () => {
  it("another merchant's reference gets code 5 like an unknown reference", async () => {
    const other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    const client_orderid = other.newOrderId();
    const othersAnswer = await other.rebill(cardRefId, { client_orderid });
    expect(othersAnswer.fields).toMatchObject(refusal('5', 'Card reference not found'));
    expect(withoutSerial(await other.rebill('abcdefghijklmnopqrsc', { client_orderid }))).toStrictEqual(withoutSerial(othersAnswer));
    expect(withoutSerial(await other.rebill('12', { client_orderid }))).toStrictEqual(withoutSerial(othersAnswer));
  });

  it.each([
    ['more than the endpoint takes [W258]', { amount: '50.01' }, '1007', '9', 'Amount'],
    ['a CVV left out that the gate needs [W262]', {}, '1006', '1', 'cvv2'],
  ])('%s is refused [W20, W28]', async (_title, fields: Fields, at, code, said) => {
    expect((await acme.rebill(cardRefId, fields, { at })).fields).toMatchObject(refusal(code, said));
  });

  it("the endpoint's highest amount is accepted, and so is a CVV at a gate that needs one", async () => {
    const orders = [
      await acme.accepted(acme.rebill(cardRefId, { amount: '50.00' }, { at: '1007' })),
      await acme.accepted(acme.rebill(cardRefId, { cvv2: '123' }, { at: '1006' })),
    ];
    for (const order of orders) expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved' });
  });
});

describe("the amount's minor part decides the result without a CVV (decisions, section 9) [W447]", () => {
  it.each([
    ['1.16', 'declined', '116'],
    ['1.1', 'approved', undefined],
  ])('%s is %s', async (amount, status, code) => {
    const final = await acme.finalStatus(await acme.accepted(acme.rebill(cardRefId, { amount })));
    expect([final['status'], final['error-code']]).toStrictEqual([status, code]);
  });

  it.each([['1.17', 'approved', undefined]])(
    '%s is unknown first and then %s [W447]',
    async (amount, status, code) => {
      const order = await acme.accepted(acme.rebill(cardRefId, { amount }));
      const unknown = await acme.statusWhen(order, (fields) => fields['order-stage'] === 'sale_unknown', 'the first word of the gate');
      expect(unknown['status']).toBe('processing');
      const final = await acme.finalStatus(order, 35_000);
      expect([final['status'], final['error-code']]).toStrictEqual([status, code]);
    },
    40_000,
  );

  it.each([['123', '1.16', 'approved', undefined]])(
    'a CVV takes precedence: %s with %s is %s [W446]',
    async (cvv2, amount, status, code) => {
      const final = await acme.finalStatus(await acme.accepted(acme.rebill(cardRefId, { cvv2, amount })));
      expect([final['status'], final['error-code']]).toStrictEqual([status, code]);
    },
  );
});

describe('rebillControl (interface, section 5.1; decisions, section 5)', () => {
  const LOGINS = {
    'with-endpoint': { login: 'third', controlKey: THIRD_CONTROL_KEY, at: '3001' },
    either: { login: 'acme', at: '1001' },
    'without-endpoint': { login: 'fourth', controlKey: FOURTH_CONTROL_KEY, at: '4001' },
  } as const;

  it.each([
    ['with-endpoint', 'without-endpoint', false],
    ['either', 'without-endpoint', true],
  ] as const)(
    'of a merchant with the setting %s that signs %s is accepted: %s [W136, W295, W495]',
    async (setting, rebillControl, isAccepted) => {
      const merchant = new Merchant(service, { ...LOGINS[setting], rebillControl });
      const { fields } = await merchant.rebill(await merchant.registeredCard());
      if (isAccepted) expect(fields).toMatchObject({ type: 'async-response' });
      else expect(fields).toMatchObject({ type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });
    },
  );
});
