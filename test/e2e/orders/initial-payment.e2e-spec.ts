import { isLuhnValid } from '@app/kernel';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { formOf, Payer } from '../../support/merchants/payer';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(30_000);

const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
const ORDER_ID = /^[12]\d{9}$/;
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;
let payer: Payer;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  service = await Service.start({ configuration: sandboxConfiguration({ ports: [receiver.port] }) });
  acme = new Merchant(service);
  payer = new Payer(service);
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
});

const outcome = ({ status, 'error-code': code, 'order-stage': stage, 'verified-3d-status': authentication }: Answer['fields']) => ({
  status,
  code,
  stage,
  authentication,
});

describe('the response to a sale', () => {
  it.each([
    ['by endpoint', '1001', 'USD', '1001'],
    ['by group, which chooses by currency [W67]', 'group/2001', 'USD', '1001'],
    ['by group, with the other currency', 'group/2001', 'EUR', '1002'],
  ])('%s (interface, section 4.1; decisions, section 1) [W172, W463, W486]', async (_title, at, currency, endpoint) => {
    const clientOrderId = acme.newOrderId();
    const { status, fields } = await acme.sale({ client_orderid: clientOrderId, currency }, { at });
    expect(status).toBe(200);
    expect(fields).toStrictEqual({
      type: 'async-response',
      'serial-number': expect.stringMatching(SERIAL),
      'merchant-order-id': clientOrderId,
      'paynet-order-id': expect.stringMatching(ORDER_ID),
      'end-point-id': endpoint,
    });
    const order = { clientOrderId, orderId: fields['paynet-order-id'] ?? '' };
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', currency, 'end-point-id': endpoint });
  });

  it.each([
    ['a group id on the endpoint path', '2001'],
    ['an endpoint id on the group path', 'group/1001'],
    ['an unknown endpoint', '7777'],
  ])('reports a wrong checksum for %s (interface, section 7.1; decisions, section 1)', async (_title, at) => {
    expect((await acme.sale({}, { at })).fields).toMatchObject({
      type: 'validation-error',
      'error-message': 'INVALID_CONTROL_CODE',
      'error-code': '2',
    });
  });

  it.each([
    ['a currency that the endpoint does not serve [W260]', { currency: 'EUR' }, '1001', '8', 'Currency'],
    ['the card number in a text [W285]', { order_desc: 'paid with 4444 3333 2222 1111' }, '1001', '1', 'order_desc'],
  ])('%s is refused (decisions, sections 4 and 10) [W264]', async (_title, fields: Fields, at, code, said) => {
    const { fields: answer } = await acme.sale(fields, { at });
    expect(answer).toMatchObject({
      type: 'validation-error',
      'error-code': code,
      'error-message': expect.stringContaining(said),
      'merchant-order-id': expect.any(String),
    });
    expect(answer).not.toHaveProperty('end-point-id');
    expect(answer).not.toHaveProperty('paynet-order-id');
  });
});

describe("a text that resembles a card number but is not the request's own (decisions, section 4)", () => {
  /** Unique to this run, because some logs of these tests outlive it. */
  const startedAt = Date.now();
  const clientOrderId = Array.from({ length: 10 }, (_, digit) => `55${startedAt}${digit}`).find(isLuhnValid) ?? '';
  const TEXTS = {
    order_desc: 'paid for 6011 0009 9013 9424',
    merchant_data: '3530111333300000',
    purpose: '3566002020360505',
    first_name: '30569309025904',
    phone: '378282246310005',
    email: '5105105105105100@shop.example',
  };

  it('is accepted in client_orderid and all texts, for the sale, its registration and a recurrent payment [W282, W283]', async () => {
    const order = await acme.approvedSale({ client_orderid: clientOrderId, ...TEXTS });
    expect(order.clientOrderId).toMatch(/^\d{16}$/);
    const { fields } = await acme.status({ clientOrderId });
    expect(fields).toMatchObject({ 'merchant-order-id': clientOrderId, merchantdata: TEXTS.merchant_data, phone: TEXTS.phone });
    const cardRefId = (await acme.createCardRef(order)).fields['card-ref-id'] ?? '';
    const { order_desc, merchant_data, purpose } = TEXTS;
    const again = await acme.accepted(acme.rebill(cardRefId, { client_orderid: clientOrderId, order_desc, merchant_data, purpose }));
    expect(await acme.finalStatus(again)).toMatchObject({ status: 'approved', merchantdata: TEXTS.merchant_data });
    const stored = await service.stored();
    expect(stored.includes(clientOrderId)).toBe(true);
    for (const text of Object.values(TEXTS)) expect([text, stored.includes(text)]).toStrictEqual([text, false]);
    expect(service.stdout).not.toContain(clientOrderId);
  });
});

describe('the result by CVV (decisions, section 9)', () => {
  const approved = { status: 'approved', code: undefined, stage: 'sale_approved', authentication: undefined };
  const declined = (code: string) => ({ status: 'declined', code, stage: 'sale_declined', authentication: undefined });

  it.each([
    ['123', approved],
    ['321', approved],
    ['116', declined('116')],
    ['555', declined('100')],
  ])('%s at a gate without 3-D Secure [W441, W444]', async (cvv2, expected) => {
    const order = await acme.accepted(acme.sale({ cvv2 }));
    expect(outcome(await acme.finalStatus(order))).toStrictEqual(expected);
  });

  it.each([
    ['123', { ...approved, authentication: 'UNSUPPORTED' }],
    ['116', { ...declined('116'), authentication: 'UNSUPPORTED' }],
  ])('%s at a 3-D Secure gate, without a page [W199, W441]', async (cvv2, expected) => {
    const order = await acme.accepted(acme.sale({ cvv2 }, { at: '1003' }));
    expect(outcome(await acme.finalStatus(order))).toStrictEqual(expected);
  });

  it.each([['217', 'approved', undefined, 1]])(
    '%s is unknown until an inquiry finds it %s, with at most one charge (safety, I1) [W443]',
    async (cvv2, status, code, charges) => {
      const order = await acme.accepted(acme.sale({ cvv2 }));
      const unknown = await acme.statusWhen(order, (fields) => fields['order-stage'] === 'sale_unknown', 'the first word of the gate');
      expect(outcome(unknown)).toStrictEqual({ status: 'processing', code: undefined, stage: 'sale_unknown', authentication: undefined });
      expect(unknown).not.toHaveProperty('transaction-date');
      const final = await acme.finalStatus(order, 35_000);
      expect(final).toMatchObject({ status, 'order-stage': `sale_${status}`, 'transaction-date': expect.stringMatching(DATE) });
      expect(final['error-code']).toBe(code);
      const ledger = service.ledger();
      const counted = [...ledger.approvedChargesByOrder()].filter(([orderId]) => orderId === order.orderId);
      expect(counted).toStrictEqual(charges === 0 ? [] : [[order.orderId, charges]]);
      ledger.close();
    },
    40_000,
  );
});

describe('3-D Secure (decisions, section 7)', () => {
  const REDIRECTS = {
    redirect_url: 'https://shop.example/back?order=1&x=%3C',
    redirect_success_url: 'https://shop.example/thanks',
    redirect_fail_url: 'https://shop.example/sorry',
  };

  const validating = async (fields: Fields = {}) => {
    const order = await acme.accepted(acme.sale({ cvv2: '321', ...fields }, { at: '1003' }));
    const status = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
    return { order, status, html: status['html'] ?? '', redirectTo: status['redirect-to'] ?? '' };
  };

  it('shows html and redirect-to only while the payer is awaited [W216, W217, W346]', async () => {
    const { order, status, redirectTo } = await validating();
    expect(status).toMatchObject({ status: 'processing', 'order-stage': 'sale_3d_validating', 'transaction-type': 'sale' });
    expect(redirectTo.startsWith(`${service.baseUrl}/paynet/`)).toBe(true);
    for (const absent of ['verified-3d-status', 'eci', 'transaction-date', 'approval-code', 'receipt-id'])
      expect(status).not.toHaveProperty(absent);
    await payer.authenticate(redirectTo, 'hint');
    const final = await acme.finalStatus(order);
    expect(final).toMatchObject({ status: 'approved', 'order-stage': 'sale_approved', 'verified-3d-status': 'AUTHENTICATED' });
    expect(final['eci']).toBe('05');
    for (const absent of ['html', 'redirect-to']) expect(final).not.toHaveProperty(absent);
  });

  it('shows the same page under html and redirect-to, which asks for one password [W347, W442]', async () => {
    const { html, redirectTo } = await validating();
    const shown = await payer.open(redirectTo);
    expect(shown.status).toBe(200);
    expect(shown.headers).toMatchObject({
      'content-type': 'text/html;charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(formOf(shown.body)).toStrictEqual(formOf(html));
    const page = await payer.toPasswordPage(html);
    expect(page).toMatchObject({ method: 'post', asked: ['password'] });
    expect(await payer.toPasswordPage(shown.body)).toStrictEqual(page);
  });

  it.each([
    ['the right password', 'hint', 'approved', undefined, 'AUTHENTICATED', 'https://shop.example/thanks', {}],
    [
      'a wrong password [W352]',
      'guess',
      'declined',
      '110',
      'NOT_AUTHENTICATED',
      'https://shop.example/sorry',
      {
        error_code: '110',
        error_message: 'Payer was not authenticated',
        'error-code': '110',
        'error-message': 'Payer was not authenticated',
      },
    ],
  ])(
    '%s redirects the browser with the outcome to redirect_success_url or redirect_fail_url (decisions, section 6) [W23, W343, W344]',
    async (_title, password, status, code, authentication, action, reason) => {
      const { order, redirectTo } = await validating(REDIRECTS);
      const back = formOf((await payer.authenticate(redirectTo, password)).body);
      const { clientOrderId, orderId } = order;
      expect(back).toStrictEqual({
        action,
        method: 'post',
        fields: {
          status,
          orderid: orderId,
          merchant_order: clientOrderId,
          client_orderid: clientOrderId,
          descriptor: 'test-3ds',
          ...reason,
          'card-type': 'VISA',
          'card-exp-month': '12',
          'card-exp-year': '2039',
          'processor-tx-id': `PNTEST-${orderId}`,
          control: acme.callbackControlOf(status, order),
        },
        asked: [],
        isSelfSubmitting: true,
      });
      expect(outcome(await acme.finalStatus(order))).toStrictEqual({ status, code, stage: `sale_${status}`, authentication });
    },
  );

  it('ends on a plain page if the merchant gave no address [W348]', async () => {
    const { redirectTo } = await validating();
    const { status, body } = await payer.authenticate(redirectTo, 'hint');
    expect(status).toBe(200);
    expect(formOf(body)).toBeUndefined();
    expect(body).toContain('The payment was approved.');
  });
});

describe('the merchant callback of a sale (interface, section 6; decisions, section 6)', () => {
  const called = (path: string) => until(() => receiver.at(path)[0], { what: `a callback at ${path}` });

  it('reports an approved order [W149, W322, W323]', async () => {
    const order = await acme.approvedSale({
      server_callback_url: receiver.url('/approved?keep=%26this'),
      merchant_data: 'a&status=approved\nx',
      first_name: 'John',
    });
    const callback = await called('/approved');
    const status = await acme.finalStatus(order);
    expect(callback.path).toBe('/approved?keep=%26this');
    expect(callback.method).toBe('POST');
    expect(callback.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    expect(callback.headers).not.toHaveProperty('webhook-signature');
    expect(JSON.parse(callback.body)).toStrictEqual({
      status: 'approved',
      orderid: order.orderId,
      merchant_order: order.clientOrderId,
      client_orderid: order.clientOrderId,
      type: 'sale',
      amount: '10.42',
      currency: 'USD',
      descriptor: 'test-a',
      'original-gate-descriptor': 'test-a',
      name: 'JOHN SMITH',
      email: 'john.smith@example.com',
      phone: '+12125550100',
      'approval-code': status['approval-code'],
      'last-four-digits': '1111',
      bin: '444433',
      'card-type': 'VISA',
      'card-exp-month': '12',
      'card-exp-year': '2039',
      'card-holder-name': 'JOHN SMITH',
      'gate-partial-reversal': 'enabled',
      'gate-partial-capture': 'enabled',
      'processor-tx-id': `PNTEST-${order.orderId}`,
      'processor-rrn': status['processor-rrn'],
      merchantdata: 'a&status=approved\nx',
      control: acme.callbackControlOf('approved', order),
    });
  });

  it('reports a declined order with its reason and without an approval code [W322, W325, W326]', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '116', server_callback_url: receiver.url('/declined') }));
    const members = JSON.parse((await called('/declined')).body) as Fields;
    expect(members).toMatchObject({
      status: 'declined',
      orderid: order.orderId,
      error_code: '116',
      error_message: 'Not sufficient funds',
      control: acme.callbackControlOf('declined', order),
    });
    expect(members).not.toHaveProperty('approval-code');
  });

  it('is also sent to notify_url with the same body and id [W336]', async () => {
    await acme.approvedSale({ server_callback_url: receiver.url('/both-callback'), notify_url: receiver.url('/both-notify') });
    const [callback, notify] = await Promise.all([called('/both-callback'), called('/both-notify')]);
    expect(notify.body).toBe(callback.body);
    expect(notify.webhookId).toBe(callback.webhookId);
  });

  it('is not sent before the order ends [W149, W319]', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '321', server_callback_url: receiver.url('/open') }, { at: '1003' }));
    const { 'redirect-to': redirectTo } = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
    expect(receiver.at('/open')).toHaveLength(0);
    await payer.authenticate(redirectTo ?? '', 'hint');
    expect(JSON.parse((await called('/open')).body)).toMatchObject({ status: 'approved' });
  });
});
