import Ajv2020 from 'ajv/dist/2020';
import { CallbackReceiver, DELIVERED } from '../../support/merchants/callback-receiver';
import type { HttpAnswer } from '../../support/http/http-client';
import { Merchant } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(60_000);

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  service = await Service.start({ configuration: sandboxConfiguration({ ports: [receiver.port], acme: { callback: { method: 'get' } } }) });
  acme = new Merchant(service);
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
});

beforeEach(() => receiver.behave(DELIVERED));

type Json = Readonly<Record<string, unknown>>;
interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly status: string;
  readonly nextTryAt?: string;
  readonly steps: readonly Json[];
}

const asked = async (path: string): Promise<readonly [status: number, body: Json]> => {
  const { status, body } = await service.operatorRequest(path);
  return [status, JSON.parse(body) as Json];
};
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
const deliveriesOf = async ({ orderId }: Order): Promise<readonly Delivery[]> => {
  const [, { deliveries = [] }] = await asked(`/orders/${orderId}/deliveries`);
  return deliveries as readonly Delivery[];
};
const deliveredSale = async (path: string): Promise<{ readonly order: Order & { serial: string }; readonly delivery: Delivery }> => {
  const order = await acme.approvedSale({ server_callback_url: receiver.url(path) });
  const delivery = await until(async () => (await deliveriesOf(order)).find(({ status }) => status === 'delivered'), {
    what: 'the delivery',
  });
  return { order, delivery };
};

describe('callbacks by GET (decisions, section 6)', () => {
  it("contain the members in the query, after the address's own query [W320, W328]", async () => {
    const order = await acme.approvedSale({ server_callback_url: receiver.url('/get?shop=7&x=%26'), merchant_data: 'a&status=declined ü' });
    const [call] = await until(() => (receiver.at('/get').length > 0 ? receiver.at('/get') : undefined), { what: 'the callback' });
    expect(call).toMatchObject({ method: 'GET', body: '' });
    expect(call?.path.startsWith('/get?shop=7&x=%26&status=approved&')).toBe(true);
    const query = new URLSearchParams(call?.path.slice(call.path.indexOf('?')));
    expect(query.getAll('status')).toStrictEqual(['approved']);
    expect(Object.fromEntries(query)).toMatchObject({
      x: '&',
      orderid: order.orderId,
      merchant_order: order.clientOrderId,
      merchantdata: 'a&status=declined ü',
      control: acme.callbackControlOf('approved', order),
    });
  });
});

describe('an order can be found by any identifier (operator port and orch find)', () => {
  it('by the identifiers of a sale, its card reference and its callback', async () => {
    const { order, delivery } = await deliveredSale('/found');
    const registered = (await acme.createCardRef(order)).fields;
    const status = await acme.finalStatus(order);
    const identifiers: readonly [string, string | undefined][] = [
      ['orderid', order.orderId],
      ['client_orderid', order.clientOrderId],
      ['card reference', registered['card-ref-id']],
      ['card', registered['unq-card-ref-id']],
      ['delivery', delivery.deliveryId],
      ['delivery', delivery.webhookId],
      ['serial number, receipt or gate reference', order.serial],
      ['serial number, receipt or gate reference', status['receipt-id']],
      ['serial number, receipt or gate reference', status['processor-tx-id']],
      ['serial number, receipt or gate reference', status['processor-rrn']],
    ];
    for (const [by, identifier] of identifiers) {
      const found = await until(
        async () => {
          const [code, answer] = await asked(`/orders/find?q=${encodeURIComponent(identifier ?? '')}`);
          expect(code).toBe(200);
          const all = answer['found'] as readonly { readonly by: readonly string[]; readonly order: Json }[];
          return all.find((one) => one.order['orderId'] === order.orderId);
        },
        { what: `${by} ${identifier}` },
      );
      expect(found.by).toContain(by);
      expect(found.order).toMatchObject({ merchant: 'acme', clientOrderId: order.clientOrderId, status: 'approved', amount: '10.42' });
    }
    const { code, out } = await verb('--json', 'find', status['receipt-id'] ?? '');
    expect([code, JSON.parse(out)]).toMatchObject([0, { orderId: order.orderId, by: ['serial number, receipt or gate reference'] }]);
    expect((await verb('find', order.serial, '--merchant', 'other')).code).toBe(3);
  });

  it('by a card or reference, with every order paid with it, page by page', async () => {
    const first = await acme.approvedSale();
    const registered = (await acme.createCardRef(first)).fields;
    const [reference = '', card = ''] = [registered['card-ref-id'], registered['unq-card-ref-id']];
    const charged = await Promise.all(
      [1, 2, 3].map(() => acme.accepted(acme.post('make-rebill-sale', acme.signedRebill(acme.rebillFields(reference))))),
    );
    const wanted = [first, ...charged].map(({ orderId }) => orderId);
    for (const text of [reference, card]) {
      await until(
        async () => {
          const [, { found }] = await asked(`/orders/find?q=${text}`);
          const orders = (found as readonly { readonly order: Json }[]).map(({ order }) => order['orderId']);
          return wanted.every((orderId) => orders.includes(orderId));
        },
        { what: `every order of ${text}` },
      );
    }
    const { code, out } = await verb('--json', 'find', card, '--limit', '2');
    const { next, ...others } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Json;
    expect([code, others]).toStrictEqual([0, { version: 1 }]);
    expect((await asked(`/orders/find?q=${card}&after=${String(next)}`))[0]).toBe(200);
    expect((await asked(`/orders/find?q=${card}&after=nothing`))[0]).toBe(400);
  });

  it('without a key, card number or sealed text in the response (safety, T43)', async () => {
    const order = await acme.approvedSale({ merchant_data: 'canary-of-the-merchant' });
    const { body } = await until(
      async () => {
        const answer = await service.operatorRequest(`/orders/${order.orderId}`);
        return answer.status === 200 ? answer : undefined;
      },
      { what: 'the order' },
    );
    for (const secret of ['4444333322221111', 'JOHN SMITH', 'canary-of-the-merchant', 'example.com', 'B17F59B4']) {
      expect(body).not.toContain(secret);
    }
  });
});

describe('callbacks can be listed and resent (decisions, section 6; safety, F30)', () => {
  it('with each attempt, its failure and the time of the next attempt', async () => {
    receiver.behave((_path, tryNumber) => (tryNumber < 3 ? { kind: 'status', status: 503 } : DELIVERED));
    const { order, delivery } = await deliveredSale('/tries');
    expect(delivery.steps).toMatchObject([
      { kind: 'failed', tryNumber: 1, failure: { cause: 'answered', status: 503 }, nextTryAt: expect.stringMatching(/Z$/) },
      { kind: 'failed', tryNumber: 2, failure: { cause: 'answered', status: 503 } },
      { kind: 'delivered', tryNumber: 3, httpStatus: 200 },
    ]);
    const { code, out } = await verb('deliveries', order.orderId);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.replace(/^.*\d{3}Z {2}/, '')),
    ).toMatchObject([
      expect.stringContaining(`${delivery.deliveryId}  about OrderApproved at `),
      expect.stringMatching(/^try 1: answered HTTP 503, again at 20/),
      expect.stringMatching(/^try 2: answered HTTP 503, again at 20/),
      'try 3: delivered, HTTP 200',
    ]);
  });

  it('immediately after delivery, with the same id and bytes, and the log names the operator', async () => {
    const { order, delivery } = await deliveredSale('/again');
    const { code, out, problems } = await verb('deliveries', 'resend', delivery.deliveryId, '--reason', 'they lost it', '--actor', 'kim');
    expect([code, out, problems]).toStrictEqual([0, 'the callback is sent again now\n', '']);
    await until(() => receiver.at('/again').length === 2, { what: 'the second call' });
    const [first, second] = receiver.at('/again');
    expect([second?.path, second?.webhookId]).toStrictEqual([first?.path, delivery.webhookId]);
    const again = await until(async () => (await deliveriesOf(order)).find(({ steps }) => steps.length === 3), { what: 'its record' });
    expect(again).toMatchObject({
      status: 'delivered',
      steps: [
        { kind: 'delivered' },
        { kind: 'resend-requested', actor: 'operator:sandbox', claimedActor: 'kim' },
        { kind: 'delivered', tryNumber: 2 },
      ],
    });
    expect((await service.stored()).includes('they lost it')).toBe(false);
    const shown = await verb('show', order.orderId);
    expect(shown.out).toContain('callback to be sent again');
  });
});

describe('unknown outcomes', () => {
  it('are listed until they are resolved', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '217' }));
    const listed = await until(
      async () => {
        const [, { orders }] = await asked('/orders/unknown');
        return (orders as readonly Json[]).find(({ orderId }) => orderId === order.orderId);
      },
      { what: 'the order in the list' },
    );
    expect(listed).toMatchObject({ status: 'unknown', stage: 'sale_unknown', merchant: 'acme', gate: 'sim-a' });
    await acme.finalStatus(order);
    await until(
      async () => ((await asked('/orders/unknown'))[1]['orders'] as readonly Json[]).every(({ orderId }) => orderId !== order.orderId),
      {
        what: 'the order out of the list',
      },
    );
    const { code, out } = await verb('unknown', 'list');
    expect(code).toBe(0);
    expect(out).not.toContain(order.orderId);
  });
});

describe('the API documents at /docs', () => {
  it('contain only paths that are served, with their methods', async () => {
    const served = async (file: string, send: (path: string, method: string) => Promise<HttpAnswer>): Promise<void> => {
      const [, { paths }] = await asked(`/docs/${file}`);
      for (const [path, item] of Object.entries(paths as Readonly<Record<string, Json>>)) {
        for (const method of Object.keys(item)) {
          const { status, headers } = await send(path.replace('{endpointId}', '1001').replace(/\{\w+\}/g, 'x'), method.toUpperCase());
          // Some routes answer 404 with a specific page or object.
          if (status === 404) expect([path, headers['content-type']]).not.toStrictEqual([path, 'text/plain;charset=utf-8']);
          else expect([path, status < 500 && status !== 405]).toStrictEqual([path, true]);
        }
      }
    };
    await served('group-a.json', (path, method) => service.request(`/paynet${path}`, { method, ...(method === 'POST' && { body: '' }) }));
    await served('group-b.json', (path, method) => service.request(`/paynet${path}`, { method, body: '' }));
    // The feed answers without an end, unless its question is refused.
    await served('operator.json', (path, method) => service.operatorRequest(path === '/feed' ? '/feed?from=x' : path, method));
  });

  it('match the responses of the operator port', async () => {
    const order = await acme.approvedSale();
    const [, document] = await asked('/docs/operator.json');
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
    });
    const { schemas } = document['components'] as { readonly schemas: object };
    const $defs = JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/')) as object;
    const complaintsOf = (name: string, value: unknown): unknown => {
      const validate = ajv.compile({ $defs, $ref: `#/$defs/${name}` });
      validate(value);
      return validate.errors;
    };
    const [, shown] = await until(
      async () => {
        const answer = await asked(`/orders/${order.orderId}`);
        return answer[0] === 200 ? answer : undefined;
      },
      { what: 'the order' },
    );
    expect(complaintsOf('ShownOrder', shown)).toBeNull();
    expect(complaintsOf('ShownOrder', { ...shown, more: 1 })).not.toBeNull();
    const [status, asOf] = await asked(`/audit/orders/${order.orderId}/state?atVersion=0`);
    expect([status, complaintsOf('StateAsOf', asOf)]).toStrictEqual([200, null]);
    expect(asOf).toMatchObject({ asOf: { version: 0 }, state: { orderId: order.orderId, status: 'processing' } });
    const [told, why] = await asked(`/audit/orders/${order.orderId}/why?field=status`);
    expect([told, why]).toStrictEqual([200, expect.objectContaining({ values: { status: 'approved' } })]);
    const { delivery } = await deliveredSale('/documented');
    expect(complaintsOf('DeliveryJson', delivery)).toBeNull();
  });
});

describe('an operator action (safety, T43)', () => {
  it('is not available on the public port', async () => {
    for (const path of ['/orders/unknown', '/orders/find?q=x', '/orders/pzzzzzzzzzzzzzzr', '/docs', '/paynet/orders/unknown']) {
      expect((await service.request(path)).status).toBe(404);
    }
    expect((await service.request('/deliveries/nothing/resend', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
