import { ORDER_STATUS_FIELDS } from '@app/gateway-protocol';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { Payer } from '../../support/merchants/payer';
import { refusal } from '../../support/merchants/refusal';
import { OTHER_CONTROL_KEY, sandboxConfiguration, THIRD_CONTROL_KEY } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(30_000);
const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
const MASTERCARD = '5555555555554444';

let service: Service;
let acme: Merchant;
let other: Merchant;
let third: Merchant;

const VISA_BIN = {
  bin: '444433',
  cardType: 'VISA',
  country: 'USA',
  bank: 'First Test Bank',
  productCode: 'F',
  productName: 'Visa Classic',
  typeCode: 'C',
  typeName: 'Credit',
};

const configuration = sandboxConfiguration({
  endpoints: [
    { id: '1004', currency: 'USD', gates: ['sim-a'], descriptor: 'ACME*SHOP' },
    { id: '1005', currency: 'USD', gates: ['sim-out'] },
    { id: '1009', currency: 'USD', gates: ['sim-partial'], operations: ['sale'] },
  ],
  merchants: [
    {
      login: 'third',
      controlKey: THIRD_CONTROL_KEY,
      showCommissions: true,
      endpoints: [
        { id: '3001', currency: 'USD', gates: ['sim-two-rates'] },
        { id: '3002', currency: 'USD', gates: ['sim-a'] },
      ],
    },
  ],
  gates: [
    { alias: 'sim-out', adapter: 'simulator', currencies: ['USD'], simulate: { unavailable: true } },
    { alias: 'sim-partial', adapter: 'simulator', currencies: ['USD'], partialReversal: false, partialCapture: false },
    {
      alias: 'sim-two-rates',
      adapter: 'simulator',
      currencies: ['USD'],
      commission: { ratePerTenThousand: 250, minCentis: 10 },
      acquirerCommission: { ratePerTenThousand: 100, minCentis: 500 },
    },
  ],
  whole: { bins: [VISA_BIN] },
});

beforeAll(async () => {
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
  third = new Merchant(service, { login: 'third', controlKey: THIRD_CONTROL_KEY, at: '3001' });
}, 60_000);

afterAll(() => service.dispose());

const withoutSerial = ({ status, body, fields }: Answer) => ({ status, body: body.replace(fields['serial-number'] ?? '-', '') });

const common = (order: Order) => ({
  type: 'status-response',
  'serial-number': expect.stringMatching(SERIAL),
  'merchant-order-id': order.clientOrderId,
  'paynet-order-id': order.orderId,
  amount: '10.42',
  currency: 'USD',
  'initial-amount': '10.42',
  'transaction-type': 'sale',
  phone: '+12125550100',
  email: 'john.smith@example.com',
  country: 'US',
  state: 'CA',
  city: 'Springfield',
  zip_code: '12345',
  address1: '1 Main Street',
  'last-four-digits': '1111',
  bin: '444433',
  'card-type': 'VISA',
  name: 'JOHN SMITH',
  'cardholder-name': 'JOHN SMITH',
  'card-exp-month': '12',
  'card-exp-year': '2039',
  'card-hash-id': expect.stringMatching(/^\S+$/),
  'card-country-alpha-three-code': 'USA',
  'bank-name': 'First Test Bank',
  'ips-src-payment-product-code': 'F',
  'ips-src-payment-product-name': 'Visa Classic',
  'ips-src-payment-type-code': 'C',
  'ips-src-payment-type-name': 'Credit',
});

const asked = {
  'gate-partial-reversal': 'enabled',
  'gate-partial-capture': 'enabled',
  descriptor: 'test-a',
  'original-gate-descriptor': 'test-a',
  'paynet-processing-date': expect.stringMatching(DATE),
};

const answered = (order: Order) => ({
  'processor-tx-id': `PNTEST-${order.orderId}`,
  'processor-rrn': expect.stringMatching(/^\d{12}$/),
  'terminal-id': expect.stringMatching(/^[0-9A-Z]{8}$/),
});

describe('every field of the table (interface, section 2.5; decisions, section 2)', () => {
  it('for an approved order [W34-37, W40-44, W50, W51, W200, W208-210, W213, W218, W220, W449]', async () => {
    const order = await acme.approvedSale({ first_name: 'John', last_name: 'Smith', merchant_data: 'basket 7' });
    const { fields } = await acme.status(order);
    expect(fields).toStrictEqual({
      ...common(order),
      ...asked,
      ...answered(order),
      status: 'approved',
      'order-stage': 'sale_approved',
      'first-name': 'John',
      'last-name': 'Smith',
      'approval-code': expect.stringMatching(/^[0-9A-Z]{6}$/),
      'receipt-id': expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      'transaction-date': expect.stringMatching(DATE),
      merchantdata: 'basket 7',
      'end-point-id': '1001',
    });
    expect(fields['receipt-id']).not.toMatch(/\d{9}/);
  });

  it("for a declined order, with the gate's advice if it returned one [W34, W46, W52, W207, W213, W215]", async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '116' }));
    expect(await acme.finalStatus(order)).toStrictEqual({
      ...common(order),
      ...asked,
      ...answered(order),
      status: 'declined',
      'order-stage': 'sale_declined',
      'transaction-date': expect.stringMatching(DATE),
      'error-code': '116',
      'error-message': 'Not sufficient funds',
      'motivational-message': expect.stringContaining('not enough money'),
      'end-point-id': '1001',
    });
  });

  it('for an order for which no gate could be asked, which ends in error with code 122 (decisions, section 4) [W42, W212]', async () => {
    const order = await acme.accepted(acme.sale({}, { at: '1005' }));
    const status = await acme.finalStatus(order);
    expect(status).toMatchObject({ status: 'error', 'error-code': '122', 'order-stage': 'sale_error', 'end-point-id': '1005' });
    for (const absent of ['approval-code', 'receipt-id', 'processor-tx-id', 'processor-rrn', 'terminal-id'])
      expect(status).not.toHaveProperty(absent);
    expect(status).toHaveProperty('transaction-date');
  });

  it('for an unknown outcome, without gate data and final date [W44, W211, W214]', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '217' }));
    const status = await acme.statusWhen(order, (fields) => fields['order-stage'] === 'sale_unknown', 'the silence of the gate');
    expect(status).toMatchObject({
      ...common(order),
      status: 'processing',
      ...asked,
      'order-stage': 'sale_unknown',
      'end-point-id': '1001',
    });
    for (const absent of ['approval-code', 'receipt-id', 'transaction-date', 'error-code', 'error-message'])
      expect(status).not.toHaveProperty(absent);
  });

  it('for a recurrent payment, with the customer data of the order that registered the card [W25, W37, W208]', async () => {
    const cardRefId = await acme.registeredCard({ first_name: 'John', city: 'Shelbyville' });
    const order = await acme.accepted(acme.rebill(cardRefId, { amount: '7.5', merchant_data: 'month 2' }));
    expect(await acme.finalStatus(order)).toStrictEqual({
      ...common(order),
      ...asked,
      ...answered(order),
      amount: '7.50',
      'initial-amount': '7.50',
      'first-name': 'John',
      city: 'Shelbyville',
      status: 'approved',
      'order-stage': 'sale_approved',
      'approval-code': expect.any(String),
      'receipt-id': expect.any(String),
      'transaction-date': expect.stringMatching(DATE),
      merchantdata: 'month 2',
      'end-point-id': '1001',
    });
  });

  it('card-hash-id equals the unique card reference of the registration [W39, W209]', async () => {
    const order = await acme.approvedSale();
    const registered = (await acme.createCardRef(order)).fields;
    expect((await acme.status(order)).fields['card-hash-id']).toBe(registered['unq-card-ref-id']);
  });

  it('for a card with an unknown BIN, with its brand and without issuer data [W40, W210]', async () => {
    const order = await acme.approvedSale({ credit_card_number: MASTERCARD });
    const { fields } = await acme.status(order);
    expect(fields).toMatchObject({ bin: '555555', 'last-four-digits': '4444', 'card-type': 'MASTERCARD' });
    for (const absent of ['bank-name', 'card-country-alpha-three-code', 'destination-card-country-alpha-three-code'])
      expect(fields).not.toHaveProperty(absent);
    expect(Object.keys(fields).filter((name) => name.startsWith('ips-'))).toStrictEqual([]);
  });

  it.each([['VISA, after it', '4444333322221111', '05']])(
    '3-D Secure result is shown, with eci only for VISA: %s [W48, W49, W199]',
    async (_title, credit_card_number, eci) => {
      const order = await acme.accepted(acme.sale({ cvv2: '321', credit_card_number }, { at: '1003' }));
      const { 'redirect-to': redirectTo } = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
      await new Payer(service).authenticate(redirectTo ?? '', 'hint');
      const final = await acme.finalStatus(order);
      expect(final['verified-3d-status']).toBe('AUTHENTICATED');
      expect(final['eci']).toBe(eci);
    },
  );

  it('3-D Secure fields are absent at a gate without 3-D Secure [W48, W353]', async () => {
    const { fields } = await acme.status(await acme.approvedSale());
    for (const absent of ['verified-3d-status', 'eci', 'html', 'redirect-to', 'verified-rsc-status'])
      expect(fields).not.toHaveProperty(absent);
  });

  it("descriptor is the entry point's, and original-gate-descriptor is the gate's (decisions, section 3) [W45, W238]", async () => {
    const order = await acme.approvedSale({}, { at: '1004' });
    expect((await acme.status(order)).fields).toMatchObject({
      descriptor: 'ACME*SHOP',
      'original-gate-descriptor': 'test-a',
      'end-point-id': '1004',
    });
  });

  it('gate-partial-reversal and gate-partial-capture describe the gate, whose alias is the default descriptor [W41]', async () => {
    const order = await acme.approvedSale({}, { at: '1009' });
    expect((await acme.status(order)).fields).toMatchObject({
      'gate-partial-reversal': 'disabled',
      'gate-partial-capture': 'disabled',
      descriptor: 'sim-partial',
      'original-gate-descriptor': 'sim-partial',
    });
  });

  it.each([
    ['with rates that differ', '3001', '1000.10', { 'seller-commission': '25.00', 'acquirer-commission': '10.00' }],
    ['with one rate, rounded half up', '3002', '123.67', { 'seller-commission': '1.86', 'acquirer-commission': '1.86' }],
  ])("commissions are shown if the merchant's setting allows: %s [W51, W219]", async (_title, at, amount, commissions) => {
    const order = await third.approvedSale({ amount }, { at });
    const { fields } = await third.status(order, {}, { at });
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name.endsWith('-commission')));
    expect(shown).toStrictEqual(commissions);
  });

  it('commissions are not shown for a declined order [W219]', async () => {
    const order = await third.accepted(third.sale({ cvv2: '119' }));
    expect(Object.keys(await third.finalStatus(order)).filter((name) => name.endsWith('-commission'))).toStrictEqual([]);
  });

  it('fields follow the order of the table, with end-point-id last (decisions, section 3) [W206]', async () => {
    const { fields, body } = await acme.status(await acme.approvedSale({ first_name: 'John', merchant_data: 'x' }));
    const names = Object.keys(fields);
    expect(names.slice(0, 5)).toStrictEqual(['type', 'serial-number', 'merchant-order-id', 'paynet-order-id', 'status']);
    expect(names.at(-1)).toBe('end-point-id');
    expect(names).toStrictEqual(ORDER_STATUS_FIELDS.filter((name) => names.includes(name)));
    expect(body.endsWith('end-point-id=1001\n')).toBe(true);
  });
});

describe('by-request-sn (interface, section 2.5; decisions, section 3)', () => {
  it('selects the request that created the order, and is returned [W32, W47, W218]', async () => {
    const order = await acme.approvedSale();
    const plain = (await acme.status(order)).fields;
    const { fields } = await acme.status(order, { 'by-request-sn': order.serial });
    expect(fields).toStrictEqual({ ...plain, 'serial-number': expect.stringMatching(SERIAL), 'by-request-sn': order.serial });
    expect(fields['serial-number']).not.toBe(order.serial);
  });

  it('is refused with code 1 if it names any other request [W235]', async () => {
    const sale = acme.saleFields();
    const order = await acme.approvedSale(sale);
    const { serial: repeatSerial } = await acme.accepted(acme.sale(sale));
    const statusSerial = (await acme.status(order)).fields['serial-number'];
    const registrationSerial = (await acme.createCardRef(order)).fields['serial-number'];
    const refusedSerial = (await acme.sale({ amount: '0.00' })).fields['serial-number'];
    const { serial: ownOther } = await acme.approvedSale();
    const { serial: othersAnswer } = await other.approvedSale();
    const unknown = '00000000-0000-0000-0000-ffffffffffff';
    for (const serial of [repeatSerial, statusSerial, registrationSerial, refusedSerial, ownOther, othersAnswer, unknown, 'nonsense']) {
      const { fields } = await acme.status(order, { 'by-request-sn': serial });
      expect(fields).toMatchObject({ ...refusal('1', 'by-request-sn'), 'merchant-order-id': order.clientOrderId });
    }
  });
});

describe('the order found by a status request (interface, section 2.5; decisions, section 5)', () => {
  it.each([
    ['by group', 'group/2001'],
    ['by another entry point', '1002'],
  ])('%s is the same, with end-point-id of the order [W170, W184]', async (_title, at) => {
    const order = await acme.approvedSale();
    expect((await acme.status(order, {}, { at })).fields).toMatchObject({ status: 'approved', 'end-point-id': '1001' });
  });

  it('is found by client_orderid without orderid [W31, W300]', async () => {
    const { clientOrderId, orderId } = await acme.approvedSale();
    expect((await acme.status({ clientOrderId })).fields).toMatchObject({ status: 'approved', 'paynet-order-id': orderId });
    expect((await acme.status({ clientOrderId, orderId: '' })).fields).toMatchObject({ status: 'approved', 'paynet-order-id': orderId });
  });

  it('is ambiguous without orderid if a client_orderid has two kinds [W281]', async () => {
    const clientOrderId = acme.newOrderId();
    const cardRefId = await acme.registeredCard();
    const sale = await acme.approvedSale({ client_orderid: clientOrderId });
    const rebill = await acme.accepted(acme.rebill(cardRefId, { client_orderid: clientOrderId }));
    await acme.finalStatus(rebill);
    expect((await acme.status({ clientOrderId })).fields).toMatchObject(refusal('1', 'orderid'));
    expect((await acme.status(sale)).fields).toMatchObject({ 'paynet-order-id': sale.orderId, amount: '10.42' });
    expect((await acme.status(rebill)).fields).toMatchObject({ 'paynet-order-id': rebill.orderId, amount: '5.50' });
  });

  it('is reported like an unknown order if it belongs to another merchant (decisions, section 4) [W271]', async () => {
    const order = await acme.approvedSale();
    const othersAnswer = await other.status(order);
    expect(othersAnswer.fields).toMatchObject(refusal('3', 'Order not found'));
    expect(withoutSerial(await other.status({ ...order, orderId: `${order.orderId.slice(0, -3)}zzr` }))).toStrictEqual(
      withoutSerial(othersAnswer),
    );
    expect(withoutSerial(await other.status({ ...order, orderId: 'x'.repeat(128) }))).toStrictEqual(withoutSerial(othersAnswer));
    expect(withoutSerial(await other.status({ clientOrderId: order.clientOrderId }))).toStrictEqual(withoutSerial(othersAnswer));
  });

  it('has a response with a new serial-number for every request, also for refused ones (decisions, section 3) [W232]', async () => {
    const order = await acme.approvedSale();
    const answers = [
      ...(await Promise.all(Array.from({ length: 20 }, () => acme.status(order)))),
      await acme.status(order, { control: 'wrong' }),
      await acme.status({ clientOrderId: 'nobody' }),
      await acme.postBody('status/1001', 'a=%zz'),
    ];
    const serials = answers.map(({ fields }) => fields['serial-number']);
    for (const serial of serials) expect(serial).toMatch(SERIAL);
    expect(new Set(serials).size).toBe(answers.length);
  });

  it.each([
    ['login', { login: undefined }, '2', 'INVALID_CONTROL_CODE'],
    ['client_orderid', { client_orderid: undefined }, '1', 'client_orderid'],
    ['client_orderid of 129 characters', { client_orderid: 'c'.repeat(129) }, '1', 'client_orderid'],
    ['control', { control: '' }, '2', 'INVALID_CONTROL_CODE'],
  ])('is not returned if a field is missing or wrong: %s [W30]', async (_title, fields: Fields, code, said) => {
    expect((await acme.status({ clientOrderId: acme.newOrderId() }, fields)).fields).toMatchObject(refusal(code, said));
  });

  it('is refused with code 10 at an entry point without the operation (decisions, section 4) [W261]', async () => {
    const order = await acme.approvedSale();
    expect((await acme.status(order, {}, { at: '1009' })).fields).toMatchObject(refusal('10', 'not supported'));
    expect((await acme.createCardRef(order, {}, { at: '1009' })).fields).toMatchObject(refusal('10', 'not supported'));
  });
});
