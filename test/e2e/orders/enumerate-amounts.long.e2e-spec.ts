import type { OrderId } from '@app/kernel';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted, type Answer } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { OauthMerchant, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { refusal } from '../../support/merchants/refusal';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(45_000);

const GATE = { adapter: 'simulator', currencies: ['USD'] };
const SETTLED_WITHIN_MS = 30_000;

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  const configuration = sandboxConfiguration({
    ports: [receiver.port],
    acme: { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE },
    endpoints: [
      { id: '1101', currency: 'USD', gates: ['sim-no', 'sim-b'] },
      { id: '1102', currency: 'USD', gates: ['sim-out', 'sim-a', 'sim-b'] },
      { id: '1103', currency: 'USD', gates: ['sim-a'], maxAmount: '50.00' },
    ],
    gates: [
      { ...GATE, alias: 'sim-b', descriptor: 'test-b' },
      { ...GATE, alias: 'sim-no', simulate: { decline: 100 } },
      { ...GATE, alias: 'sim-out', simulate: { unavailable: true } },
    ],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  cardRefId = await acme.registeredCard();
}, 60_000);

afterAll(async () => {
  const ledger = service.ledger();
  const violations = ledger.violations();
  ledger.close();
  await receiver.stop();
  await service.dispose();
  expect(violations).toStrictEqual([]);
});

const rebill = (fields: Fields, at = '1001'): Promise<Accepted> => acme.accepted(acme.rebill(cardRefId, fields, { at }));

const triedFor = ({ orderId }: Order): readonly (readonly [gate: string, minor: bigint])[] => {
  const ledger = service.ledger();
  try {
    const keys = ledger.requests().map(({ key }) => key);
    const own = [...ledger.transactions(orderId as OrderId)].sort((one, another) => keys.indexOf(one.key) - keys.indexOf(another.key));
    return own.map(({ gate, amount }) => [gate, amount.minor]);
  } finally {
    ledger.close();
  }
};
const shown = ({ status, amount, 'initial-amount': initial, 'error-code': code }: Answer['fields']) => [status, amount, initial, code];

describe('enumerate_amounts (interface, section 2.4; decisions, section 7)', () => {
  it.each<[string, string, string, string, readonly unknown[], readonly (readonly [string, bigint])[]]>([
    [
      'any decline goes on to the next',
      '1001',
      '9.01',
      '9.01,9.16,9.19,9.09,4.00,2.00',
      ['approved', '4.00', '9.01', undefined],
      [
        ['sim-a', 901n],
        ['sim-a', 916n],
        ['sim-a', 919n],
        ['sim-a', 909n],
        ['sim-a', 400n],
      ],
    ],
    [
      'the gates of a cascade within each amount',
      '1101',
      '7.00',
      '7.16,3.00',
      ['approved', '3.00', '7.00', undefined],
      [
        ['sim-no', 716n],
        ['sim-b', 716n],
        ['sim-no', 300n],
        ['sim-b', 300n],
      ],
    ],
  ])('%s', async (_title, at, amount, listed, expected, tried) => {
    const path = `/amounts/${acme.newOrderId()}`;
    const order = await rebill({ amount, enumerate_amounts: listed, server_callback_url: receiver.url(path) }, at);
    expect(shown(await acme.finalStatus(order))).toStrictEqual(expected);
    expect(triedFor(order)).toStrictEqual(tried);
    const { body } = await until(() => receiver.at(path)[0], { what: 'the callback' });
    const [status, approvedAmount] = expected;
    expect(JSON.parse(body)).toMatchObject({ status, amount: approvedAmount, orderid: order.orderId });
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('ends with the last decline if no amount is approved [W19]', async () => {
    const order = await rebill({ amount: '9.00', enumerate_amounts: '9.01,9.16' });
    const status = await acme.finalStatus(order);
    expect(status).toMatchObject({ status: 'declined', 'error-code': '116', 'initial-amount': '9.00' });
    expect(triedFor(order)).toStrictEqual([
      ['sim-a', 901n],
      ['sim-a', 916n],
    ]);
  });

  it('limits follow-ups to the approved amount', async () => {
    const order = await acme.approved(acme.rebillPreauth(cardRefId, { amount: '9.00', enumerate_amounts: '9.16,4.00' }));
    expect((await acme.status(order)).fields).toMatchObject({ 'order-stage': 'auth_approved', amount: '4.00', 'initial-amount': '9.00' });
    const more = { amount: '4.01', currency: 'USD' };
    expect((await acme.followUp('capture', order, more)).fields).toMatchObject(refusal('9', 'Amount'));
    await acme.approvedFollowUp('capture', order);
    expect((await acme.followUp('return', order, more)).fields).toMatchObject(refusal('9', 'Amount'));
    const ledger = service.ledger();
    const moved = ledger.followUps(order.orderId as OrderId).map(({ operation, amount }) => [operation, amount.minor]);
    ledger.close();
    expect(moved).toStrictEqual([['capture', 400n]]);
  });
});

describe("the amount's minor part in a cascade decides each gate's result, and an unknown outcome pauses the plan (decisions, sections 7 and 9) [W361]", () => {
  interface Case {
    readonly amount: string;
    readonly listed?: string;
    readonly at: string;
    readonly end: readonly (string | undefined)[];
    readonly tried: readonly (readonly [gate: string, minor: bigint])[];
  }
  const approved = (amount: string) => ['approved', amount, undefined];
  const CASES: readonly Case[] = [
    {
      amount: '9.00',
      listed: '8.18,4.00',
      at: '1102',
      end: approved('4.00'),
      tried: [
        ['sim-a', 818n],
        ['sim-b', 818n],
        ['sim-a', 400n],
      ],
    },
  ];
  const isUnknown = (fields: Answer['fields']): boolean => fields['order-stage']?.endsWith('_unknown') === true;

  const settled = async ({ amount, listed, at, end, tried }: Case): Promise<void> => {
    const order = await rebill({ amount, ...(listed !== undefined && { enumerate_amounts: listed }) }, at);
    const [first = amount] = listed?.split(',') ?? [];
    if (/\.1[78]$/.test(first)) {
      // While the order is open, its amount is that of the current attempt (decisions, section 3).
      const open = await acme.statusWhen(order, isUnknown, 'the silence of the gate');
      expect(open).toMatchObject({ amount: first, 'initial-amount': amount, 'order-stage': 'sale_unknown' });
    }
    const [status, last, code] = end;
    expect(shown(await acme.finalStatus(order, 2 * SETTLED_WITHIN_MS))).toStrictEqual([status, last, amount, code]);
    expect(triedFor(order)).toStrictEqual(tried);
  };

  let settling: readonly Promise<void>[];

  // Concurrent, because most take seconds. A failure is thrown in the test that awaits it.
  beforeAll(() => {
    settling = CASES.map(settled);
    for (const one of settling) one.catch(() => undefined);
  });

  it.each(CASES.map(({ amount, listed, at }, index) => [listed ?? amount, at, index] as const))(
    '%s at %s',
    async (_amounts, _at, index) => {
      await settling[index];
    },
    75_000,
  );
});

describe('an account verification (decisions, sections 1 and 10)', () => {
  const namedBy = ({ clientOrderId, orderId }: Order): Fields => ({ client_orderid: clientOrderId, orderid: orderId });

  it.each([
    ['by endpoint', '1002', '1002'],
    ['by group, whose first endpoint takes it', 'group/2001', '1001'],
  ])(
    '%s moves no money, shows no amount, and its card can be charged by a v2 or v4 reference [W174, W207]',
    async (_title, at, endpoint) => {
      const path = `/verified/${acme.newOrderId()}`;
      const answer = await acme.accountVerification({ server_callback_url: receiver.url(path) }, { at });
      expect(answer.fields).toStrictEqual({
        type: 'async-response',
        'serial-number': expect.any(String),
        'merchant-order-id': expect.any(String),
        'paynet-order-id': expect.stringMatching(/^[12]\d{9}$/),
        'end-point-id': endpoint,
      });
      const order = await acme.accepted(Promise.resolve(answer));
      const status = await acme.finalStatus(order);
      expect(status).toMatchObject({
        status: 'approved',
        'transaction-type': 'account_verification',
        'order-stage': 'av_approved',
        'end-point-id': endpoint,
      });
      const { body } = await until(() => receiver.at(path)[0], { what: 'the callback' });
      const told = JSON.parse(body) as Readonly<Record<string, string>>;
      expect(told).toMatchObject({ status: 'approved', type: 'account_verification', orderid: order.orderId });
      for (const fields of [status, told])
        for (const absent of ['amount', 'currency', 'initial-amount']) expect(fields).not.toHaveProperty(absent);

      const v2 = (await acme.createCardRef(order, {}, { at })).fields;
      const v4 = (await new OauthMerchant(service, () => service.baseUrl).createCardRef(namedBy(order), { at })).fields;
      expect(v4['card_recurring_payment_id']).toBe(v2['card-ref-id']);
      for (const reference of [v2['card-ref-id'], v4['recurring-payment-id']]) await acme.approved(acme.rebill(reference ?? ''));
      expect(triedFor(order).map(([, minor]) => minor)).toStrictEqual([0n]);
    },
  );

  it('is declined without a reference if the issuer refuses the card', async () => {
    const order = await acme.accepted(acme.accountVerification({ cvv2: '209' }));
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'declined', 'order-stage': 'av_declined', 'error-code': '209' });
    expect((await acme.createCardRef(order)).fields).not.toHaveProperty('card-ref-id');
  });
});
