import { parseAmount, type OrderId } from '@app/kernel';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted, type Answer, type FollowUp, type Sending } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { refusal } from '../../support/merchants/refusal';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(45_000);

const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
/** The simulator decides an unknown outcome within this time (architecture, "Configuration"). */
const SETTLED_WITHIN_MS = 30_000;
const USD = (amount: string): Fields => ({ amount, currency: 'USD' });

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;
let other: Merchant;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  const configuration = sandboxConfiguration({
    ports: [receiver.port],
    endpoints: [
      { id: '1004', currency: 'USD', gates: ['sim-whole'] },
      { id: '1005', currency: 'USD', gates: ['sim-a'], operations: ['sale', 'preauth'] },
    ],
    gates: [{ alias: 'sim-whole', adapter: 'simulator', currencies: ['USD'], partialCapture: false, partialReversal: false }],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
}, 60_000);

afterAll(async () => {
  const ledger = service.ledger();
  const violations = ledger.violations();
  ledger.close();
  await receiver.stop();
  await service.dispose();
  expect(violations).toStrictEqual([]);
});

const sale = (fields: Fields = {}, sending: Sending = {}): Promise<Accepted> => acme.approvedSale({ amount: '10.00', ...fields }, sending);
const preauth = (fields: Fields = {}, sending: Sending = {}): Promise<Accepted> =>
  acme.approved(acme.preauth({ amount: '10.00', ...fields }, sending));

const movedBy = ({ orderId }: Order): readonly (readonly [operation: string, minor: bigint])[] => {
  const ledger = service.ledger();
  try {
    const requests = ledger.requests().map(({ key }) => key);
    const approved = ledger.followUps(orderId as OrderId).filter(({ state }) => state.status === 'approved');
    const inOrder = [...approved].sort((one, another) => requests.indexOf(one.key) - requests.indexOf(another.key));
    return inOrder.map(({ operation, amount }) => [operation, amount.minor]);
  } finally {
    ledger.close();
  }
};
const shown = ({ status, 'transaction-type': type, 'order-stage': stage, amount, 'initial-amount': initial }: Answer['fields']) => ({
  status,
  type,
  stage,
  amount,
  initial,
});

describe('a pre-authorisation (decisions, sections 2 and 10)', () => {
  it.each([
    ['by endpoint', '1001', 'USD', '1001'],
    ['by group', 'group/2001', 'EUR', '1002'],
  ])('%s is accepted at once and ends auth_approved [W173]', async (_title, at, currency, endpoint) => {
    const answer = await acme.preauth({ client_orderid: acme.newOrderId('hold'), currency }, { at });
    expect(answer.fields).toStrictEqual({
      type: 'async-response',
      'serial-number': expect.stringMatching(SERIAL),
      'merchant-order-id': expect.stringMatching(/^hold-/),
      'paynet-order-id': expect.stringMatching(/^[12]\d{9}$/),
      'end-point-id': endpoint,
    });
    const order = await acme.accepted(Promise.resolve(answer));
    expect(await acme.finalStatus(order)).toMatchObject({
      status: 'approved',
      'transaction-type': 'preauth',
      'order-stage': 'auth_approved',
      amount: '10.42',
      currency,
      'end-point-id': endpoint,
    });
  });
});

describe("a follow-up is executed at the gate and shown by the order's status and by serial (decisions, sections 2, 3 and 10) [W33, W191, W192, W483]", () => {
  it.each<[string, () => Promise<Accepted>, FollowUp, Fields, string, bigint]>([
    ['capture of a part', preauth, 'capture', USD('4.2'), 'capture', 420n],
    ['return of a part of a sale', sale, 'return', USD('0.02'), 'reversal', 2n],
    ['return of a part of an uncaptured preauth', preauth, 'return', USD('3.00'), 'cancel', 300n],
    ['void', sale, 'void', {}, 'void', 1_000n],
  ])('%s', async (_title, approvedOrder, kind, fields, operation, minor) => {
    const order = await approvedOrder();
    const before = shown((await acme.status(order)).fields);
    const { status, fields: answer } = await acme.followUp(kind, order, fields);
    expect([status, answer]).toStrictEqual([
      200,
      {
        type: 'async-response',
        'serial-number': expect.stringMatching(SERIAL),
        'merchant-order-id': order.clientOrderId,
        'paynet-order-id': order.orderId,
        'end-point-id': '1001',
      },
    ]);
    const serial = answer['serial-number'] ?? '';
    expect(serial).not.toBe(order.serial);
    const own = await acme.followUpEnd({ ...order, serial });
    const end = { status: 'approved', type: operation, stage: `${operation}_approved`, amount: '10.00', initial: '10.00' };
    expect(shown(own)).toStrictEqual(end);
    expect(own).toMatchObject({
      'by-request-sn': serial,
      'approval-code': expect.any(String),
      'transaction-date': expect.stringMatching(DATE),
    });
    // The order shows its latest operation; the request that created it still shows its own result.
    expect(shown((await acme.status(order)).fields)).toStrictEqual(end);
    const made = (await acme.status(order, { 'by-request-sn': order.serial })).fields;
    expect(shown(made)).toStrictEqual({ ...before, type: made['transaction-type'], stage: made['order-stage'] });
    expect(movedBy(order).at(-1)).toStrictEqual([operation, minor]);
  });

  it('a part can be cancelled, the rest captured, and the capture returned in parts up to its amount [W478]', async () => {
    const order = await preauth();
    await acme.approvedFollowUp('return', order, USD('2.50'));
    expect((await acme.followUp('capture', order, USD('7.51'))).fields).toMatchObject(refusal('9', 'Amount'));
    await acme.approvedFollowUp('capture', order, USD('7.50'));
    for (const amount of ['2.00', '5.48', '0.02']) await acme.approvedFollowUp('return', order, USD(amount));
    expect((await acme.followUp('return', order, USD('0.01'))).fields).toMatchObject(refusal('9', 'Amount'));
    expect(movedBy(order)).toStrictEqual([
      ['cancel', 250n],
      ['capture', 750n],
      ['reversal', 200n],
      ['reversal', 548n],
      ['reversal', 2n],
    ]);
    expect((await acme.status(order)).fields).toMatchObject({ status: 'approved', 'order-stage': 'reversal_approved', amount: '10.00' });
  });

  it('a recurrent pre-authorisation can be captured and returned (decisions, section 1) [W169]', async () => {
    const order = await acme.approved(acme.rebillPreauth(await acme.registeredCard(), USD('6.00')));
    expect(order.orderId).toMatch(/^[12]\d{9}$/);
    expect((await acme.status(order)).fields).toMatchObject({ 'transaction-type': 'preauth', 'order-stage': 'auth_approved' });
    const capture = await acme.approvedFollowUp('capture', order, USD('5.00'));
    await acme.approvedFollowUp('return', order, USD('5.00'));
    expect((await acme.status(order, { 'by-request-sn': capture.serial })).fields).toMatchObject({ 'order-stage': 'capture_approved' });
    expect((await acme.status(order)).fields).toMatchObject({ 'order-stage': 'reversal_approved', amount: '6.00' });
    expect(movedBy(order)).toStrictEqual([
      ['capture', 500n],
      ['reversal', 500n],
    ]);
  });

  it('any entry point or group of the merchant accepts a follow-up, and the order keeps its endpoint (decisions, section 1) [W185]', async () => {
    const order = await preauth();
    const answers = [
      await acme.followUp('capture', order, USD('9.00'), { at: '1002' }),
      await until(
        async () => {
          const answer = await acme.followUp('return', order, USD('1.00'), { at: 'group/2001' });
          return answer.fields['type'] === 'async-response' && answer;
        },
        { what: 'the capture, before which nothing of it can go back' },
      ),
    ];
    for (const { fields } of answers) expect(fields).toMatchObject({ type: 'async-response', 'end-point-id': '1001' });
    for (const answer of answers)
      expect(await acme.followUpEnd(await acme.accepted(Promise.resolve(answer)))).toMatchObject({
        status: 'approved',
        'end-point-id': '1001',
      });
  });
});

describe('callbacks of follow-ups are sent only to notify_url (decisions, section 6) [W337]', () => {
  it('each has its own type, status, amount and id', async () => {
    const id = acme.newOrderId('told');
    const order = await preauth({
      client_orderid: id,
      server_callback_url: receiver.url(`/callback/${id}`),
      notify_url: receiver.url(`/notify/${id}`),
      merchant_data: 'basket 7',
    });
    await acme.approvedFollowUp('capture', order, USD('8.00'));
    await acme.approvedFollowUp('return', order, USD('3.00'));
    const refused = await acme.accepted(acme.followUp('return', order, USD('2.16')));
    await acme.followUpEnd(refused);
    const heard = await until(() => receiver.at(`/notify/${id}`).length >= 4 && receiver.at(`/notify/${id}`), { what: 'four callbacks' });
    const told = heard.map(({ body }) => JSON.parse(body) as Record<string, string>);
    const common = { orderid: order.orderId, client_orderid: id, currency: 'USD', merchantdata: 'basket 7' };
    const ok = { ...common, status: 'approved', control: acme.callbackControlOf('approved', order) };
    const no = { ...common, status: 'declined', control: acme.callbackControlOf('declined', order) };
    expect(told).toHaveLength(4);
    for (const expected of [
      { ...ok, type: 'preauth', amount: '10.00' },
      { ...ok, type: 'capture', amount: '8.00' },
      { ...ok, type: 'reversal', amount: '3.00' },
      { ...no, type: 'reversal', amount: '2.16', error_code: '116' },
    ])
      expect(told).toContainEqual(expect.objectContaining(expected));
    expect(new Set(heard.map(({ webhookId }) => webhookId)).size).toBe(4);
    // The order's address got the order's callback, under the same id as notify_url.
    const [first, ...more] = receiver.at(`/callback/${id}`);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ ...ok, type: 'preauth', amount: '10.00' });
    expect(more).toStrictEqual([]);
    expect(heard.filter(({ webhookId }) => webhookId === first?.webhookId)).toHaveLength(1);
  });
});

describe('follow-ups never exceed the available amount (safety, I12 and T5)', () => {
  it.each<[string, () => Promise<Accepted>, FollowUp, string, number, string]>([
    ['returns of a sale', sale, 'return', '3.00', 3, '9'],
    ['returns of an uncaptured preauth', preauth, 'return', '3.00', 3, '9'],
    ['captures', preauth, 'capture', '3.00', 1, '11'],
  ])('with ten simultaneous %s [W259, W478]', async (_title, approvedOrder, kind, amount, taken, code) => {
    const order = await approvedOrder();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => acme.followUp(kind, order, USD(amount), { at: index % 2 === 0 ? '1001' : 'group/2001' })),
    );
    const accepted = answers.filter(({ fields }) => fields['type'] === 'async-response');
    expect(accepted).toHaveLength(taken);
    expect(new Set(accepted.map(({ fields }) => fields['serial-number'])).size).toBe(taken);
    for (const { fields } of answers) if (fields['type'] !== 'async-response') expect(fields).toMatchObject({ 'error-code': code });
    for (const answer of accepted)
      expect(await acme.followUpEnd(await acme.accepted(Promise.resolve(answer)))).toMatchObject({ status: 'approved' });
    expect(movedBy(order).map(([, minor]) => minor)).toStrictEqual(Array.from({ length: taken }, () => 300n));
  });

  it('with a simultaneous void and return, of which one is accepted, and with none after a void', async () => {
    const order = await sale();
    const answers = await Promise.all([acme.followUp('void', order), acme.followUp('return', order, USD('1.00'))]);
    const accepted = answers.filter(({ fields }) => fields['type'] === 'async-response');
    expect(accepted).toHaveLength(1);
    const voided = await sale();
    await acme.approvedFollowUp('void', voided);
    for (const kind of ['void', 'return', 'capture'] as const)
      expect((await acme.followUp(kind, voided)).fields).toMatchObject(refusal('11', 'not possible'));
    expect(movedBy(voided)).toStrictEqual([['void', 1_000n]]);
  });
});

describe('a refused follow-up moves no money (decisions, section 4)', () => {
  const refusedWith = async (order: Order, kind: FollowUp, fields: Fields, code: string, said: string, sending: Sending = {}) => {
    expect((await acme.followUp(kind, order, fields, sending)).fields).toMatchObject({
      ...refusal(code, said),
      'merchant-order-id': order.clientOrderId,
    });
    expect(movedBy(order)).toStrictEqual([]);
  };

  it.each<[string, () => Promise<Accepted>, FollowUp, Fields, string, string]>([
    ['an amount without its currency', sale, 'return', { amount: '1.00' }, '1', 'currency'],
    ['more than was taken', sale, 'return', USD('10.01'), '9', 'Amount'],
    ['a capture of a sale', sale, 'capture', {}, '11', 'not possible'],
  ])('%s', async (_title, approvedOrder, kind, fields, code, said) => {
    await refusedWith(await approvedOrder(), kind, fields, code, said);
  });

  it('is refused with code 4 if the order is not final', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '321' }, { at: '1003' }));
    await acme.statusWhen(order, ({ html }) => html !== undefined, 'the wait for the payer');
    for (const kind of ['capture', 'return', 'void'] as const) await refusedWith(order, kind, {}, '4', 'not in a final status');
  });

  it('is refused with code 3 if the order belongs to another merchant, like an unknown order', async () => {
    const { clientOrderId, orderId } = await sale();
    const bodyOf = async (kind: FollowUp, order: Order, fields: Fields) => {
      const answer = await other.followUp(kind, order, fields);
      expect(answer.fields).toMatchObject(refusal('3', 'Order not found'));
      return answer.body.replace(answer.fields['serial-number'] ?? '-', '');
    };
    for (const kind of ['capture', 'return', 'void'] as const) {
      const fields = kind === 'void' ? {} : USD('1.00');
      const foreign = await bodyOf(kind, { clientOrderId, orderId }, fields);
      expect(await bodyOf(kind, { clientOrderId, orderId: `${orderId.slice(0, -3)}zzr` }, fields)).toBe(foreign);
      expect(await bodyOf(kind, { clientOrderId, orderId: 'nonsense' }, fields)).toBe(foreign);
    }
    expect(movedBy({ clientOrderId, orderId })).toStrictEqual([]);
  });
});

describe("the amount's minor part decides the result (decisions, section 9) [W448]", () => {
  it.each([['capture', '5.16', '116']] as const)(
    'a %s of %s is declined %s, the order is unchanged, and the amount can be requested again',
    async (kind, amount, code) => {
      const order = await (kind === 'capture' ? preauth() : sale());
      const before = shown((await acme.status(order)).fields);
      const followUp = await acme.accepted(acme.followUp(kind, order, USD(amount)));
      const operation = kind === 'capture' ? 'capture' : 'reversal';
      expect(await acme.followUpEnd(followUp)).toMatchObject({
        status: 'declined',
        'order-stage': `${operation}_declined`,
        'error-code': code,
        'error-message': expect.any(String),
      });
      const after = (await acme.status(order)).fields;
      expect(shown(after)).toStrictEqual(before);
      expect(after).not.toHaveProperty('error-code');
      await acme.approvedFollowUp(kind, order, USD('10.00'));
      expect(movedBy(order)).toStrictEqual([[operation, 1_000n]]);
    },
  );
});

describe('a follow-up whose outcome is unknown (decisions, section 9)', () => {
  interface Case {
    readonly of: 'sale' | 'preauth';
    readonly kind: FollowUp;
    readonly amount?: string;
    readonly operation: string;
    readonly end: 'approved' | 'declined';
    /** The code that refuses a second follow-up while this one may have moved money. */
    readonly code: string;
  }
  const CASES: readonly Case[] = [
    { of: 'preauth', kind: 'capture', amount: '9.17', operation: 'capture', end: 'approved', code: '11' },
    { of: 'sale', kind: 'return', amount: '9.18', operation: 'reversal', end: 'declined', code: '9' },
    { of: 'sale', kind: 'void', operation: 'void', end: 'approved', code: '11' },
  ];
  const isUnknown = (fields: Answer['fields']): boolean => fields['order-stage']?.endsWith('_unknown') === true;

  const settled = async ({ of, kind, amount, operation, end, code }: Case): Promise<void> => {
    const whole = amount === undefined ? '10.17' : '10.00';
    const order = await (of === 'sale' ? sale({ amount: whole }) : preauth({ amount: whole }));
    const before = shown((await acme.status(order)).fields);
    const followUp = await acme.accepted(acme.followUp(kind, order, amount === undefined ? {} : USD(amount)));
    const asked = { 'by-request-sn': followUp.serial };
    expect(await acme.statusWhen(order, isUnknown, 'the silence of the gate', undefined, asked)).toMatchObject({
      status: 'processing',
      'order-stage': `${operation}_unknown`,
      amount: whole,
    });
    expect(shown((await acme.status(order)).fields)).toStrictEqual(before);
    const more = kind === 'void' ? {} : USD('2.00');
    expect((await acme.followUp(kind, order, more)).fields).toMatchObject({ 'error-code': code });
    const last = await acme.followUpEnd(followUp, SETTLED_WITHIN_MS);
    expect([last['status'], last['error-code']]).toStrictEqual([end, end === 'declined' ? '100' : undefined]);
    expect(movedBy(order)).toStrictEqual(end === 'declined' ? [] : [[operation, parseAmount(amount ?? whole)]]);
    // A declined amount is available again; an approved one is not.
    const again = (await acme.followUp(kind, order, more)).fields;
    expect(again).toMatchObject(end === 'declined' ? { type: 'async-response' } : { 'error-code': code });
  };

  let settling: readonly Promise<void>[];

  // Concurrent, because each takes seconds. A failure is thrown in the test that awaits it.
  beforeAll(() => {
    settling = CASES.map(settled);
    for (const one of settling) one.catch(() => undefined);
  });

  it.each(CASES.map(({ kind, of, end }, index) => [kind, of, end, index] as const))(
    'a %s of a %s blocks its amount until an inquiry finds it %s',
    async (_kind, _of, _end, index) => {
      await settling[index];
    },
  );
});
