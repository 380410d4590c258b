import { wholeNumber } from '@app/testing';
import { accountVerificationControl } from '@app/gateway-protocol';
import type { OrderId } from '@app/kernel';
import { Merchant, type Answer, type Sending } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

const BURSTS = wholeNumber('BURSTS', 40);
const MS_PER_BURST_MAX = 150;
jest.setTimeout(30_000 + BURSTS * MS_PER_BURST_MAX);
/** Most are small, because two requests are enough for a race. Some have the largest allowed size. */
const BURST_SIZES = [2, 3, 2, 5, 2, 10, 2, 3, 20, 2, 5, 2, 50, 3, 2, 10, 2, 100, 2, 3];

const configuration = sandboxConfiguration({ endpoints: [{ id: '1004', currency: 'USD', gates: ['sim-a'] }] });

let service: Service;
let acme: Merchant;
let cardRefId: string;
let otherCardRefId: string;

beforeAll(async () => {
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  cardRefId = await acme.registeredCard();
  otherCardRefId = await acme.registeredCard({ credit_card_number: '5555555555554444' });
}, 60_000);

afterAll(() => service.dispose());

const chargesOf = (orderId: string): { readonly sent: number; readonly approved: number } => {
  const ledger = service.ledger();
  try {
    const sent = ledger.requests().filter((request) => request.orderId === orderId && request.kind === 'charge').length;
    return { sent, approved: ledger.approvedChargesByOrder().get(orderId as OrderId) ?? 0 };
  } finally {
    ledger.close();
  }
};

const textOf = ({ fields }: Answer, name: string): string => fields[name] ?? '(absent)';
const withoutSerial = ({ 'serial-number': _serial, ...fields }: Answer['fields']) => fields;

interface Ordering {
  readonly send: (fields: Fields, sending?: Sending) => Promise<Answer>;
  readonly fields: (fields?: Fields) => Fields;
}
const SALE: Ordering = {
  send: (fields, sending) => acme.post('sale', acme.signedSale(fields, sending?.at), sending),
  fields: (fields) => acme.saleFields(fields),
};
const REBILL: Ordering = {
  send: (fields, sending) => acme.post('make-rebill-sale', acme.signedRebill(fields, sending?.at), sending),
  fields: (fields) => acme.rebillFields(cardRefId, fields),
};

describe('identical simultaneous requests (safety, B9 and I6; architecture, rule 1)', () => {
  it(`make one order and one charge per burst in ${BURSTS} bursts of 2 to 100 payments, with a serial for every response`, async () => {
    const orders: Order[] = [];
    const serials = new Set<string>();
    let requests = 0;
    for (let burst = 0; burst < BURSTS; burst++) {
      const { send, fields } = burst % 2 === 0 ? SALE : REBILL;
      const request = fields();
      const size = BURST_SIZES[burst % BURST_SIZES.length] ?? 2;
      const answers = await Promise.all(Array.from({ length: size }, () => send(request)));
      requests += size;
      for (const answer of answers) serials.add(textOf(answer, 'serial-number'));
      expect(new Set(answers.map((answer) => textOf(answer, 'type')))).toStrictEqual(new Set(['async-response']));
      const orderIds = new Set(answers.map((answer) => textOf(answer, 'paynet-order-id')));
      expect(orderIds.size).toBe(1);
      orders.push({ clientOrderId: request['client_orderid'] ?? '', orderId: [...orderIds][0] ?? '' });
    }
    expect(serials.size).toBe(requests);
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(BURSTS);
    await Promise.all(orders.map((order) => acme.finalStatus(order)));
    const ledger = service.ledger();
    const sent = new Map<string, number>();
    for (const { orderId = '', kind } of ledger.requests()) if (kind === 'charge') sent.set(orderId, (sent.get(orderId) ?? 0) + 1);
    const approved = ledger.approvedChargesByOrder();
    expect(orders.filter(({ orderId }) => sent.get(orderId) !== 1 || approved.get(orderId as OrderId) !== 1)).toStrictEqual([]);
    expect(ledger.violations()).toStrictEqual([]);
    ledger.close();
  }, 90_000);

  it('with two contents under one client_orderid make one order, and the other content is refused with code 7', async () => {
    for (let round = 0; round < 10; round++) {
      const request = SALE.fields();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_value, index) => {
          const amount = index % 2 === 0 ? '10.00' : '20.00';
          return { amount, answer: await SALE.send({ ...request, amount }) };
        }),
      );
      const accepted = answers.filter(({ answer }) => textOf(answer, 'type') === 'async-response');
      const refused = answers.filter(({ answer }) => textOf(answer, 'error-code') === '7');
      expect([accepted.length, refused.length]).toStrictEqual([10, 10]);
      expect(new Set(accepted.map(({ amount }) => amount)).size).toBe(1);
      expect(new Set(accepted.map(({ answer }) => textOf(answer, 'paynet-order-id'))).size).toBe(1);
      const [winner] = accepted;
      const order = {
        clientOrderId: request['client_orderid'] ?? '',
        orderId: winner === undefined ? '' : textOf(winner.answer, 'paynet-order-id'),
      };
      expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', amount: winner?.amount });
      expect(chargesOf(order.orderId)).toStrictEqual({ sent: 1, approved: 1 });
    }
  });
});

describe('the same content in another form repeats the same request (decisions, section 4) [W276]', () => {
  it.each<[string, Ordering, Fields]>([
    ['the amount with another number of digits', SALE, { amount: '10.4' }],
    ['white space around values', SALE, { order_desc: '  Two pairs of shoes\n', email: ' john.smith@example.com' }],
    ['another CVV', SALE, { cvv2: '555' }],
    ['an empty field for one that is absent', SALE, { first_name: '', merchant_data: ' ' }],
    ['an unknown parameter', SALE, { unheard_of: 'x' }],
    ['the amount with another number of digits', REBILL, { amount: '10.4' }],
    ['an added CVV', REBILL, { cvv2: '123' }],
  ])('%s', async (_title, { send, fields }, change) => {
    const request = fields({ amount: '10.40' });
    const order = await acme.accepted(send(request));
    await acme.finalStatus(order);
    const again = await acme.accepted(send({ ...request, ...change }));
    expect(again).toMatchObject({ orderId: order.orderId, clientOrderId: order.clientOrderId });
    expect(again.serial).not.toBe(order.serial);
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', amount: '10.40' });
    expect(chargesOf(order.orderId)).toStrictEqual({ sent: 1, approved: 1 });
  });
});

describe('different content under a used client_orderid is refused with code 7 and changes nothing (safety, I6)', () => {
  const CHANGES_OF_BOTH: Fields = {
    order_desc: 'Three pairs of shoes',
    amount: '10.43',
    currency: 'EUR',
    ipaddress: '203.0.113.8',
    purpose: 'account 7',
    redirect_url: 'https://shop.example/back',
    redirect_success_url: 'https://shop.example/thanks',
    redirect_fail_url: 'https://shop.example/sorry',
    server_callback_url: 'https://shop.example/callback',
    merchant_data: 'basket 8',
  };
  const CHANGES_OF_SALE: Fields = {
    ...CHANGES_OF_BOTH,
    first_name: 'Jane',
    last_name: 'Smith',
    card_printed_name: 'JANE SMITH',
    credit_card_number: '5555555555554444',
    expire_month: '11',
    expire_year: '2038',
    address1: '2 Main Street',
    city: 'Shelbyville',
    zip_code: '12346',
    country: 'AS',
    state: 'NY',
    email: 'jane.smith@example.com',
    phone: '+12125550101',
    cell_phone: '+12125550102',
    ssn: '1234',
    birthday: '19800229',
    site_url: 'https://shop.example',
    notify_url: 'https://shop.example/notify',
  };
  const CHANGES_OF_REBILL: Fields = {
    ...CHANGES_OF_BOTH,
    comment: 'a comment',
    recurrent_scenario: 'REGULAR',
    recurrent_initiator: 'MERCHANT',
  };

  it.each<[string, Ordering, Fields]>([
    ['payment', SALE, CHANGES_OF_SALE],
    ['recurrent payment', REBILL, CHANGES_OF_REBILL],
  ])('%s, each changed field separately, and the entry point [W273, W275]', async (_title, { send, fields }, changes) => {
    const at = 'group/2001';
    const request = fields({ amount: '10.42' });
    const order = await acme.accepted(send(request, { at }));
    const before = withoutSerial(await acme.finalStatus(order));
    const oneByOne: [string, Promise<Answer>][] = [
      ...Object.entries(changes).map(([name, value]): [string, Promise<Answer>] => [name, send({ ...request, [name]: value }, { at })]),
      ['entry point', send(request, { at: '1001' })],
      ['another endpoint', send(request, { at: '1004' })],
      ...('cardrefid' in request
        ? [['cardrefid', send({ ...request, cardrefid: otherCardRefId }, { at })] as [string, Promise<Answer>]]
        : []),
    ];
    for (const [name, answer] of oneByOne) {
      expect([name, (await answer).fields]).toStrictEqual([
        name,
        {
          type: 'validation-error',
          'serial-number': expect.any(String),
          'merchant-order-id': order.clientOrderId,
          'error-message': expect.stringContaining('client_orderid'),
          'error-code': '7',
        },
      ]);
    }
    expect(withoutSerial(await acme.finalStatus(order))).toStrictEqual(before);
    expect(chargesOf(order.orderId)).toStrictEqual({ sent: 1, approved: 1 });
  });
});

describe('a client_orderid identifies one order per merchant and kind (decisions, section 4)', () => {
  it('two merchants and two kinds get separate orders [W272]', async () => {
    const other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    const client_orderid = acme.newOrderId();
    const orders = [
      await acme.accepted(acme.sale({ client_orderid })),
      await acme.accepted(acme.rebill(cardRefId, { client_orderid })),
      await other.accepted(other.sale({ client_orderid })),
    ];
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(3);
  });
});

describe('the operation is part of the content (decisions, section 4)', () => {
  const answerOf = ({ fields }: Answer): string | undefined => fields['error-code'] ?? fields['paynet-order-id'];

  it('a sale repeated as a preauth or account verification is refused with code 7 [W274]', async () => {
    const fields = SALE.fields();
    const order = await acme.accepted(SALE.send(fields));
    const { client_orderid: clientOrderId = '', email = '' } = fields;
    const control = accountVerificationControl({ entryPoint: '1001', clientOrderId, email }, acme.key);
    const { amount: _amount, currency: _currency, ...verification } = fields;
    expect(answerOf(await acme.post('preauth', acme.signedSale(fields)))).toBe('7');
    expect(answerOf(await acme.post('account-verification', { ...verification, control }))).toBe('7');
    expect(answerOf(await SALE.send(fields))).toBe(order.orderId);
  });

  it('make-rebill repeats make-rebill-sale, and make-rebill-preauth does not [W168, W274]', async () => {
    const fields = REBILL.fields();
    const order = await acme.accepted(REBILL.send(fields));
    expect(answerOf(await REBILL.send(fields, { path: 'make-rebill' }))).toBe(order.orderId);
    expect(answerOf(await REBILL.send(fields, { path: 'make-rebill-preauth' }))).toBe('7');
  });

  it('changed enumerate_amounts are different content [W277]', async () => {
    const fields = REBILL.fields({ amount: '5.50', enumerate_amounts: '5.50,4' });
    const order = await acme.accepted(REBILL.send(fields));
    for (const enumerate_amounts of ['', '5.50', '4,5.50', '5.50,4,3'])
      expect([enumerate_amounts, answerOf(await REBILL.send({ ...fields, enumerate_amounts }))]).toStrictEqual([enumerate_amounts, '7']);
    expect(answerOf(await REBILL.send(fields))).toBe(order.orderId);
  });
});

describe('a later repeat (safety, I6)', () => {
  it('returns the same order with a new serial after a restart, even if current rules would refuse it [W233, W279]', async () => {
    const sale = SALE.fields();
    const declinedSale = SALE.fields({ cvv2: '119' });
    const rebill = REBILL.fields();
    const before = [
      await acme.accepted(SALE.send(sale)),
      await acme.accepted(SALE.send(declinedSale)),
      await acme.accepted(REBILL.send(rebill)),
    ];
    await Promise.all(before.map((order) => acme.finalStatus(order)));

    // The configuration now accepts neither the operation nor the amount.
    await service.restart(
      undefined,
      sandboxConfiguration({
        acme: { endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'], maxAmount: '1.00', operations: ['status'] }], groups: [] },
      }),
    );
    try {
      const after = [
        await acme.accepted(SALE.send(sale)),
        await acme.accepted(SALE.send(declinedSale)),
        await acme.accepted(REBILL.send(rebill)),
      ];
      expect(after.map(({ orderId }) => orderId)).toStrictEqual(before.map(({ orderId }) => orderId));
      expect(new Set([...before, ...after].map(({ serial }) => serial)).size).toBe(6);
      expect(Math.min(...after.map(({ serial }) => Number.parseInt(serial.slice(-12), 16)))).toBeGreaterThan(
        Math.max(...before.map(({ serial }) => Number.parseInt(serial.slice(-12), 16))),
      );
      expect((await SALE.send({ ...sale, order_desc: 'something else' })).fields).toMatchObject({ 'error-code': '7' });
      expect((await SALE.send(SALE.fields())).fields).toMatchObject({ 'error-code': '10' });
      for (const [index, expected] of [
        { sent: 1, approved: 1 },
        { sent: 1, approved: 0 },
        { sent: 1, approved: 1 },
      ].entries()) {
        expect(chargesOf(before[index]?.orderId ?? '')).toStrictEqual(expected);
      }
    } finally {
      await service.restart(undefined, configuration);
    }
  }, 60_000);
});
