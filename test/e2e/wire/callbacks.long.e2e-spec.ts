import { wholeNumber } from '@app/testing';
import { isWebhookAuthentic, type WebhookHeaders } from '@app/gateway-protocol';
import { Secret, systemClock } from '@app/kernel';
import { CallbackReceiver, DELIVERED, type Behaviour, type ReceivedCallback } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { OTHER_CONTROL_KEY, sandboxConfiguration, THIRD_CONTROL_KEY } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(30_000);

const ORDERS = wholeNumber('CALLBACK_ORDERS', 200);
const ORDERS_AT_ONCE = 20;
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let receiver: CallbackReceiver;
let hanging: CallbackReceiver;
let service: Service;
let acme: Merchant;
let other: Merchant;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  hanging = await CallbackReceiver.start();
  const configuration = sandboxConfiguration({
    ports: [receiver.port, hanging.port],
    endpoints: [{ id: '1004', currency: 'USD', gates: ['sim-a'], callbackUrl: receiver.url('/configured') }],
    merchants: [
      {
        login: 'third',
        controlKey: THIRD_CONTROL_KEY,
        callback: { secret: WEBHOOK_SECRET },
        endpoints: [{ id: '3001', currency: 'USD', gates: ['sim-a'] }],
      },
    ],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await hanging.stop();
  await service.dispose();
});

beforeEach(() => receiver.behave(DELIVERED));

const first = (path: string, from = receiver): Promise<ReceivedCallback> =>
  until(() => from.at(path)[0], { what: `a callback at ${path}` });
const isDelivered = ({ behaviour }: ReceivedCallback): boolean =>
  behaviour.kind === 'slow' || (behaviour.kind === 'status' && behaviour.status === 200);

describe('delivery at least once, with one id and the same bytes per fact (safety, B10 and I5; decisions, section 6)', () => {
  const FAILURES: readonly (readonly Behaviour[])[] = [
    [{ kind: 'status', status: 500 }],
    [{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'status', status: 429 }],
    [{ kind: 'reset' }],
    [{ kind: 'answer-lost' }],
    [{ kind: 'answer-lost' }, { kind: 'answer-lost' }, { kind: 'status', status: 502 }],
    [{ kind: 'status', status: 302, headers: { location: '/elsewhere' } }],
    [
      { kind: 'status', status: 307, headers: { location: '/elsewhere' } },
      { kind: 'status', status: 308, headers: { location: '/elsewhere' } },
    ],
    // Only 200 counts as delivered.
    [{ kind: 'status', status: 204 }],
    [
      { kind: 'status', status: 404 },
      { kind: 'status', status: 201 },
    ],
    [],
  ];
  const SLOW_EVERY = 40;
  const HANG_EVERY = 50;

  it(`completes for ${ORDERS} callbacks although the merchant is down, slow, failing, redirecting, disconnecting or losing its response`, async () => {
    receiver.behave((path, tryNumber) => {
      const index = Number(/^\/o\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
      if (Number.isNaN(index)) return DELIVERED;
      if (index % HANG_EVERY === 1 && tryNumber === 1) return { kind: 'hang' };
      return FAILURES[index % FAILURES.length]?.[tryNumber - 1] ?? (index % SLOW_EVERY === 0 ? { kind: 'slow', afterMs: 500 } : DELIVERED);
    });
    await receiver.goDown();
    const orders: Order[] = [];
    for (let start = 0; start < ORDERS; start += ORDERS_AT_ONCE) {
      const batch = Array.from({ length: ORDERS_AT_ONCE }, (_value, offset) => {
        const index = start + offset;
        return acme.accepted(acme.sale({ server_callback_url: receiver.url(`/o/${index}`), cvv2: index % 3 === 0 ? '119' : '123' }));
      });
      orders.push(...(await Promise.all(batch)));
      if (start === Math.floor(ORDERS / ORDERS_AT_ONCE / 2) * ORDERS_AT_ONCE) await receiver.comeUp();
    }
    const paths = orders.map((_order, index) => `/o/${index}`);
    await until(() => paths.every((path) => receiver.at(path).some(isDelivered)), {
      what: 'all callbacks',
      timeoutMs: 60_000,
      seen: () => paths.filter((path) => !receiver.at(path).some(isDelivered)),
    });
    // Delivered with its fourth attempt, after every callback that was due earlier.
    receiver.behave((path, tryNumber) => (path === '/fence' && tryNumber < 4 ? { kind: 'status', status: 500 } : DELIVERED));
    await acme.approvedSale({ server_callback_url: receiver.url('/fence') });
    await until(() => receiver.at('/fence').some(isDelivered), { what: 'the last callback' });

    const ids = new Set<string>();
    for (const [index, order] of orders.entries()) {
      const tries = receiver.at(`/o/${index}`);
      const whole = tries.filter(({ behaviour }) => behaviour.kind !== 'reset');
      expect(new Set(tries.map(({ webhookId }) => webhookId)).size).toBe(1);
      expect(new Set(whole.map(({ body }) => body)).size).toBe(1);
      expect(tries.map(isDelivered)).toStrictEqual([...tries.slice(1).map(() => false), true]);
      const status = index % 3 === 0 ? 'declined' : 'approved';
      expect(JSON.parse(whole[0]?.body ?? '')).toMatchObject({
        status,
        orderid: order.orderId,
        control: acme.callbackControlOf(status, order),
      });
      ids.add(tries[0]?.webhookId ?? '');
    }
    expect(ids.size).toBe(ORDERS);
    expect(receiver.at('/elsewhere')).toStrictEqual([]);
  }, 90_000);

  it("continues after a stop and a kill of the service, with the same id and the request's trace", async () => {
    receiver.behave({ kind: 'status', status: 500 });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const sold = await acme.sale({ server_callback_url: receiver.url('/long') }, { headers });
    expect(sold.headers['x-request-id']).toBe(sold.fields['serial-number']);
    await acme.approved(Promise.resolve(sold));
    const id = (await first('/long')).webhookId;
    await service.restart();
    const afterStop = receiver.at('/long').length;
    await until(() => receiver.at('/long').length > afterStop, { what: 'a try after the stop' });
    await service.kill();
    await service.restart();
    receiver.behave(DELIVERED);
    await until(() => receiver.at('/long').some(isDelivered), { what: 'the delivery after the kill' });
    const tries = receiver.at('/long');
    expect(new Set(tries.map(({ webhookId }) => webhookId))).toStrictEqual(new Set([id]));
    const traces = tries.map((tried) => String(tried.headers['traceparent']));
    expect(traces).toStrictEqual(traces.map(() => expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)) as string));
    expect(new Set(tries.map(({ body }) => body)).size).toBe(1);
  }, 60_000);

  it('is not delayed by another merchant that hangs (architecture, rule 9)', async () => {
    hanging.behave({ kind: 'hang' });
    await Promise.all(Array.from({ length: 100 }, () => other.accepted(other.sale({ server_callback_url: hanging.url() }))));
    await until(() => hanging.received.length > 0, { what: 'the first hanging callback' });
    const paths = Array.from({ length: 10 }, (_value, index) => `/healthy/${index}`);
    await Promise.all(paths.map((path) => acme.accepted(acme.sale({ server_callback_url: receiver.url(path) }))));
    await until(() => paths.every((path) => receiver.at(path).length > 0), {
      what: 'the callbacks of the other merchant',
      timeoutMs: 8_000,
    });
    hanging.behave(DELIVERED);
  });
});

describe('address and signature of a callback (decisions, section 6)', () => {
  it("the request's address takes precedence over the endpoint's default address [W321]", async () => {
    const named = await acme.approvedSale({ server_callback_url: receiver.url('/named') }, { at: '1004' });
    expect(JSON.parse((await first('/named')).body)).toMatchObject({ orderid: named.orderId });
    const unnamed = await acme.approvedSale({}, { at: '1004' });
    expect(JSON.parse((await first('/configured')).body)).toMatchObject({ orderid: unnamed.orderId });
    expect(receiver.at('/configured').filter(({ body }) => body.includes(named.orderId))).toStrictEqual([]);
  });

  it('a merchant with a callback secret receives a valid signature with a new time for each attempt [W333]', async () => {
    const third = new Merchant(service, { login: 'third', controlKey: THIRD_CONTROL_KEY, at: '3001' });
    receiver.behave((_path, tryNumber) => (tryNumber < 3 ? { kind: 'status', status: 500 } : DELIVERED));
    await third.approvedSale({ server_callback_url: receiver.url('/signed') });
    await until(() => receiver.at('/signed').some(isDelivered), { what: 'the delivery' });
    const tries = receiver.at('/signed');
    expect(tries).toHaveLength(3);
    const secret = new Secret(WEBHOOK_SECRET);
    for (const { headers: all, body } of tries) {
      const headers = all as Partial<WebhookHeaders>;
      expect(isWebhookAuthentic(headers, body, secret, systemClock.now())).toBe(true);
      expect(isWebhookAuthentic(headers, `${body} `, secret, systemClock.now())).toBe(false);
    }
  });
});

describe("forbidden callback addresses in a request are refused with code 1 and the field's name (decisions, section 6; safety, T16) [W342]", () => {
  const port = () => receiver.port;

  it.each<[string, string | (() => string)]>([
    ['private, class A', 'http://10.0.0.1/x'],
    ['another loopback address than the one that is open', () => `http://127.0.0.2:${port()}/x`],
  ])('%s', async (_title, given) => {
    const url = typeof given === 'function' ? given() : given;
    const ask: [field: string, send: (fields: Fields) => ReturnType<Merchant['sale']>][] = [
      ['server_callback_url', (fields) => acme.sale(fields)],
      ['notify_url', (fields) => acme.sale(fields)],
      ['server_callback_url', (fields) => acme.rebill('abcdefghijklmnopqrsc', fields)],
    ];
    for (const [field, send] of ask) {
      const clientOrderId = acme.newOrderId();
      const { fields } = await send({ client_orderid: clientOrderId, [field]: url });
      expect([field, fields]).toMatchObject([
        field,
        { type: 'validation-error', 'error-code': '1', 'error-message': expect.stringMatching(new RegExp(`^${field}\\b`)) },
      ]);
      expect((await acme.status({ clientOrderId })).fields).toMatchObject({ 'error-code': '3' });
    }
  });

  it('private addresses are allowed in browser redirect fields', async () => {
    await acme.accepted(acme.sale({ redirect_url: 'http://10.0.0.1:3000/back' }));
  });
});
