import type { HttpAnswer } from '../../support/http/http-client';
import { Merchant } from '../../support/merchants/merchant';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(60_000);

/** Personal data that must stay sealed until an operator reveals it. */
const EMAIL = 'canary-audit@example.com';
const FOUND_EMAIL = 'canary-found@example.com';
const TRAIL_EMAIL = 'canary-trail@example.com';
const ADDRESS = '7 Canary Street';

let service: Service;
let acme: Merchant;
let other: Merchant;

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration() });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
}, 60_000);
afterAll(() => service.dispose());

interface Listed {
  readonly orderId: string;
  readonly merchant: string;
  readonly createdAt: string;
  readonly approvalCode: string;
  readonly [name: string]: unknown;
}
interface Page {
  readonly version: number;
  readonly orders: readonly Listed[];
  readonly next?: string;
}
interface Entry {
  readonly type: string;
  readonly actor: string;
  readonly category: string;
  readonly causedBy: number | null;
  readonly number: number;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = service.operatorHeaders): Promise<HttpAnswer> =>
  service.send(service.operatorUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const pageOf = ({ status, body }: HttpAnswer): Page => {
  expect([status, status === 200 ? '' : body]).toStrictEqual([200, '']);
  return JSON.parse(body) as Page;
};
const listed = async (question: Readonly<Record<string, string>>): Promise<Page> =>
  pageOf(await service.operatorRequest(`/audit/orders?${new URLSearchParams(question).toString()}`));
const idsOf = ({ orders }: Page): readonly string[] => orders.map(({ orderId }) => orderId);
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
/** The newest orders may not be indexed yet. */
const found = (question: Readonly<Record<string, string>>, orderId: string): Promise<Page> =>
  until(
    async () => {
      const page = await listed(question);
      return page.orders.some((order) => order.orderId === orderId && order['status'] !== 'processing') ? page : undefined;
    },
    { what: `the order in ${JSON.stringify(question)}` },
  );
const trailOf = async (id: string): Promise<readonly Entry[]> => {
  const { status, body } = await service.operatorRequest(`/audit/orders/${id}`);
  expect(status).toBe(200);
  return (JSON.parse(body) as { readonly trail: readonly Entry[] }).trail;
};

describe('the audit list of orders', () => {
  it('finds an order by each of its own identifiers and facts', async () => {
    const order = await acme.approvedSale({ email: FOUND_EMAIL, address1: ADDRESS });
    const status = await acme.finalStatus(order);
    const stranger = await other.approvedSale();
    const page = await found({ merchant: 'acme' }, order.orderId);
    await found({ merchant: 'other' }, stranger.orderId);
    const [own] = page.orders.filter(({ orderId }) => orderId === order.orderId);
    if (own === undefined) throw new Error('not listed');
    expect(own).toMatchObject({ kind: 'payment', operation: 'sale', status: 'approved', amount: '10.42', bin: '444433', lastFour: '1111' });
    expect(JSON.stringify(page)).not.toMatch(/canary|4444333322221111/i);
    const questions: readonly Readonly<Record<string, string>>[] = [
      { order: order.orderId },
      { clientOrderId: order.clientOrderId },
      { correlation: order.serial },
      { receipt: status['receipt-id'] ?? '' },
      { rrn: status['processor-rrn'] ?? '' },
      { reference: status['processor-tx-id'] ?? '' },
      { approvalCode: own.approvalCode },
      { cardMask: '444433-1111', merchant: 'acme' },
      { endpoint: '1001', kind: 'payment', operation: 'sale', status: 'approved', stage: 'sale_approved', gate: 'sim-a' },
      { currency: 'USD', amountFrom: '10.42', amountTo: '10.42', merchant: 'acme' },
      { createdFrom: own.createdAt, createdTo: '2099-01-01T00:00:00Z', merchant: 'acme' },
    ];
    for (const question of questions) expect(idsOf(await found(question, order.orderId))).not.toContain(stranger.orderId);
    for (const question of [{ amountTo: '10.41', currency: 'USD' }, { createdTo: own.createdAt }, { status: 'declined' }, { rrn: 'none' }])
      expect(idsOf(await listed(question as Record<string, string>))).not.toContain(order.orderId);
    const byEmail = pageOf(await post('/audit/orders', { email: FOUND_EMAIL.toUpperCase() }));
    expect(idsOf(byEmail)).toStrictEqual([order.orderId]);
  });

  it('is paged from newest to oldest by the returned cursor', async () => {
    const orders = [await acme.approvedSale(), await acme.approvedSale(), await acme.approvedSale()];
    const whole = await found({ merchant: 'acme' }, orders[2]?.orderId ?? '');
    expect(idsOf(whole).slice(0, 3)).toStrictEqual(orders.map(({ orderId }) => orderId).reverse());
    const paged: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
      const page: Page = await listed({ merchant: 'acme', limit: '2', ...(cursor !== undefined && { cursor }) });
      paged.push(...idsOf(page));
      cursor = page.next;
    }
    expect(paged).toStrictEqual(idsOf(whole));
    const { next = '' } = await listed({ merchant: 'acme', limit: '1' });
    const refused = async (question: Readonly<Record<string, string>>): Promise<number> =>
      (await service.operatorRequest(`/audit/orders?${new URLSearchParams(question).toString()}`)).status;
    expect(await refused({ merchant: 'other', limit: '1', cursor: next })).toBe(400);
    expect(await refused({ merchant: 'acme', limit: '1', cursor: `${next.slice(0, -1)}${next.endsWith('0') ? '1' : '0'}` })).toBe(400);
  });

  it.each([
    [{ status: 'fine' }, 'status must be one of'],
    [{ statuss: 'approved' }, 'statuss should not exist'],
    [{ cursor: 'x' }, 'cursor must be the next of the previous page'],
  ])('refuses the query %j', async (question, error) => {
    const { status, body } = await service.operatorRequest(`/audit/orders?${new URLSearchParams(question as never).toString()}`);
    expect([status, (JSON.parse(body) as { error: string }).error]).toStrictEqual([400, expect.stringContaining(error)]);
  });

  it('has the same content as NDJSON and CSV, also from the command line', async () => {
    await acme.approvedSale();
    const order = await acme.approvedSale({ client_orderid: acme.newOrderId('=cmd') });
    const page = await found({ merchant: 'acme' }, order.orderId);
    const [own] = page.orders;
    const ndjson = await verb('list', '--order', order.orderId, '--format', 'ndjson');
    expect([ndjson.code, JSON.parse(ndjson.out)]).toStrictEqual([0, { version: 1, ...own }]);
    const csv = (await verb('list', '--merchant', 'acme', '--all', '--limit', '2', '--format', 'csv')).out.split('\r\n');
    expect(csv[0]).toBe(`version,${Object.keys(own ?? {}).join(',')}`);
    const first = await verb('list', '--merchant', 'acme', '--limit', '1', '--format', 'csv');
    expect([first.code, first.problems]).toStrictEqual([0, expect.stringContaining('there are more: continue with --cursor ')]);
    expect(csv.filter((line) => line.includes('version'))).toHaveLength(1);
    expect(csv.filter((line) => line.trim() !== '')).toHaveLength(1 + page.orders.length);
    expect(csv.find((line) => line.includes(order.orderId))).toContain(`,'${order.clientOrderId},`);
    await acme.approvedSale({ email: EMAIL });
    const people = await until(
      async () => ((await verb('list', '--email', EMAIL)).out === '' ? undefined : verb('list', '--email', EMAIL)),
      { what: 'a row' },
    );
    expect([
      people.code,
      people.out.includes(EMAIL),
      people.out
        .trim()
        .split('\n')
        .every((line) => line.includes('acme')),
    ]).toStrictEqual([0, false, true]);
    const nobody = await verb('list', '--email', 'nobody@example.com');
    expect([nobody.code, nobody.out]).toStrictEqual([0, '']);
    expect((await verb('--json', 'list', '--format', 'csv')).code).toBe(2);
    expect((await verb('list', '--limit', 'many')).code).toBe(2);
  });
});

describe('the audit trail of an order', () => {
  it("contains the order's events in log order, and sealed texts only if revealed for a reason", async () => {
    const order = await acme.approvedSale({ email: TRAIL_EMAIL, address1: ADDRESS });
    await acme.createCardRef(order);
    await found({ order: order.orderId }, order.orderId);
    const { body: concealed } = await service.operatorRequest(`/audit/orders/${order.orderId}`);
    expect(concealed).not.toMatch(/canary/i);
    const { trail: before } = JSON.parse(concealed) as { readonly trail: readonly Entry[] };
    expect(before.map(({ type }) => type)).toStrictEqual(
      expect.arrayContaining(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved', 'CardReferenceIssued']),
    );
    expect(before.map(({ number }) => number)).toStrictEqual(before.map((_entry, index) => index + 1));
    expect(before[0]).toMatchObject({ type: 'OrderAccepted', actor: 'acme', category: 'payment', data: { customer: '[sealed]' } });
    expect(before.find(({ type }) => type === 'AttemptApproved')?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

    expect((await post(`/audit/orders/${order.orderId}/reveal`, {})).status).toBe(400);
    expect((await verb('audit', order.orderId, '--reveal')).code).toBe(2);
    const grounds = 'Dispute 4711, the cardholder asks';
    const revealed = await verb('audit', order.clientOrderId, '--reveal', '--reason', grounds, '--actor', 'kim', '--format', 'json');
    expect(revealed.code).toBe(0);
    const { trail: shown } = JSON.parse(revealed.out) as { readonly trail: readonly Entry[] };
    expect(shown[0]?.data).toMatchObject({ customer: { email: TRAIL_EMAIL, address1: ADDRESS } });
    expect(revealed.out).not.toMatch(/4444333322221111/);

    const after = await until(async () => (await trailOf(order.orderId)).filter(({ type }) => type === 'OperatorQueryAnswered').at(-1), {
      what: 'the reveal in the trail',
    });
    const queries = await until(
      async () => {
        const all = (await trailOf(order.orderId)).filter(({ data }) => data['query'] === 'order-trail');
        return all.some(({ data }) => data['revealed'] !== undefined) ? all : undefined;
      },
      { what: 'the reveal in the trail' },
    );
    expect(after.actor).toMatch(/^operator:/);
    const reveal = queries.find(({ data }) => data['revealed'] !== undefined);
    expect(reveal).toMatchObject({
      claimedActor: 'kim',
      data: {
        target: order.orderId,
        format: 'json',
        rows: shown.length,
        revealed: { reason: '[sealed]', texts: expect.any(Number) as number },
      },
    });
    const again = await post(`/audit/orders/${order.orderId}/reveal`, { reason: 'To see the grounds' });
    expect(again.body).toContain(grounds);
  });
});

it('reading commands without local stores query the service, which records operator queries', async () => {
  const order = await acme.approvedSale();
  await found({ order: order.orderId }, order.orderId);
  const investigator = {
    DATA_DIR: '/nowhere',
    OPERATOR_HOST: '127.0.0.1',
    OPERATOR_PORT: new URL(service.operatorUrl).port,
    ORCH_OPERATOR_TOKEN: (service.operatorHeaders['authorization'] ?? '').replace('Bearer ', ''),
  };
  const asked: readonly (readonly [words: readonly string[], out: string])[] = [
    [['find', order.clientOrderId], order.orderId],
    [['show', order.clientOrderId], 'OrderApproved'],
    [['show', order.orderId, '--at-version', '0'], 'processing'],
    [['why', order.clientOrderId, 'status'], 'status is approved, was processing'],
    [['diff', order.orderId, '--from', '0', '--to', '2'], 'revision 2'],
    [['deliveries', order.orderId], ''],
    [['unknown', 'list'], ''],
  ];
  for (const [words, out] of asked) {
    const ended = await orch(words, investigator);
    expect({ words, ...ended }).toMatchObject({ code: 0, problems: '' });
    expect(ended.out).toContain(out);
  }
  const queries = (await trailOf(order.orderId)).filter(({ type }) => type === 'OperatorQueryAnswered').map(({ data }) => data['query']);
  expect(queries).toStrictEqual(
    expect.arrayContaining(['show-order', 'order-trail', 'order-as-of', 'order-why', 'order-difference', 'list-deliveries']),
  );
});

describe('the audit copy of the configuration', () => {
  it('is recorded at the start without keys, and can be queried by time', async () => {
    const { code, out } = await verb('--json', 'audit', 'configuration');
    expect(code).toBe(0);
    expect(out).not.toMatch(/B17F59B4|0F0E0D0C/);
    const inForce = JSON.parse(out) as { readonly tookEffectAt: string; readonly keys: readonly string[]; readonly configuration: object };
    expect(inForce).toMatchObject({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      replacedAt: null,
      omitted: null,
      keys: expect.arrayContaining([expect.stringMatching(/^kek:/)]) as string[],
    });
    expect(inForce.configuration).toMatchObject({
      accounts: {
        merchants: [{ login: 'acme', controlKey: { keyId: expect.stringMatching(/^[a-p]{16}$/) as string } }, { login: 'other' }],
        gates: [{ alias: 'sim-a' }, { alias: 'sim-3ds' }],
      },
    });
    expect((await verb('audit', 'configuration', '--at', inForce.tookEffectAt)).code).toBe(0);
    expect((await verb('audit', 'configuration', '--at', '2020-01-01T00:00:00Z')).code).toBe(3);
    expect((await verb('audit', 'configuration', '--at', 'yesterday')).code).toBe(2);
  });
});
