import { callbackBody } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { orch } from '../../support/processes/orch';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { CODES_OF_OURS, OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service, type HttpAnswer } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(150_000);

/** The upstream gate leaves it unknown, so that the callback arrives between two inquiries. */
const OPEN_FOR_A_WHILE = '217';
const ORDERS = 3;
const FINAL_WITHIN_MS = 60_000;
const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const KEY_OF_NOBODY = '01234567-89ab-cdef-0123-456789abcdef';

let upstream: Service;
let service: Service;
let byControl: Merchant;
let bySignature: Merchant;

const configurationOfUpstream = (ports: readonly number[]): object => {
  const { merchants, ...whole } = sandboxConfiguration({ ports }) as { readonly merchants: readonly { readonly login: string }[] };
  const called = merchants.map((merchant) =>
    merchant.login === 'other' ? { ...merchant, callback: { method: 'get', secret: SECRET } } : merchant,
  );
  return { ...whole, merchants: called };
};

beforeAll(async () => {
  upstream = await Service.start({ configuration: configurationOfUpstream([]), stores: 'files' });
  const gate = {
    adapter: 'paynet',
    codes: CODES_OF_OURS,
    currencies: ['USD'],
    descriptor: 'test-upstream',
    longestFlightSeconds: 1,
    pollSeconds: 60,
    callbacks: true,
  };
  const at = { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true };
  const gates = [
    { ...gate, alias: 'upstream-post', controlKey: SANDBOX_CONTROL_KEY, upstream: { ...at, login: 'acme', endpoint: '1001' } },
    {
      ...gate,
      alias: 'upstream-get',
      controlKey: OTHER_CONTROL_KEY,
      callbackSecret: SECRET,
      upstream: { ...at, login: 'other', endpoint: '9001' },
    },
  ];
  const endpoints = gates.map(({ alias }, index) => ({ id: String(1_005 + index), currency: 'USD', gates: [alias] }));
  service = await Service.start({ configuration: sandboxConfiguration({ gates, endpoints }), stores: 'files' });
  await upstream.restart(undefined, configurationOfUpstream([service.port]));
  byControl = new Merchant(service, { at: '1005' });
  bySignature = new Merchant(service, { at: '1006' });
});
afterAll(async () => {
  await service?.dispose();
  await upstream?.dispose();
});

const heard = async (gate: string, kind: string, outcome: string): Promise<number> => {
  const { body } = await service.operatorRequest('/metrics');
  const sample = body
    .split('\n')
    .find(
      (line) => line.startsWith('orchestrator_gate_reports_total{') && [gate, kind, outcome].every((part) => line.includes(`"${part}"`)),
    );
  return Number(sample?.split(' ').at(-1) ?? 0);
};

interface Shown {
  readonly type: string;
  readonly data: { readonly attemptKey?: string; readonly receipt?: { readonly gateOrderId?: string } };
}

const eventsOf = async ({ orderId }: Accepted): Promise<readonly Shown[]> => {
  const shown = await orch(['--json', 'show', orderId], service.orchEnvironment);
  return (JSON.parse(shown.out) as { readonly events: readonly Shown[] }).events;
};

const attemptKeyOf = async (order: Accepted): Promise<string> =>
  (await eventsOf(order)).find(({ type }) => type === 'AttemptStarted')?.data.attemptKey ?? '';

const told = (gate: string, body: string): Promise<HttpAnswer> =>
  service.request(`/paynet/gates/${gate}/notifications`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('an order at an upstream gateway that sends callbacks', () => {
  it.each([
    ['by POST, with the control', () => byControl, 'upstream-post'],
    ['by GET, with a signature', () => bySignature, 'upstream-get'],
  ])('ends on the callback before the next inquiry: %s', async (_, merchant, gate) => {
    // An inquiry may run at the moment when a callback arrives.
    const orders = await Promise.all(
      Array.from({ length: ORDERS }, () => merchant().accepted(merchant().sale({ cvv2: OPEN_FOR_A_WHILE }))),
    );
    for (const order of orders) expect(await merchant().finalStatus(order, FINAL_WITHIN_MS)).toMatchObject({ status: 'approved' });
    expect(await heard(gate, 'outcome', 'recorded')).toBeGreaterThanOrEqual(1);
  });

  it('is unchanged by forged callbacks and callbacks for unknown orders, which get the same response', async () => {
    const order = await bySignature.approvedSale();
    const key = await attemptKeyOf(order);
    const facts = { status: 'declined', orderid: '1000000007', type: 'sale', amount: '10.42', currency: 'USD' };
    const answers: HttpAnswer[] = [];
    for (const client_orderid of [key, KEY_OF_NOBODY]) {
      // The right control, which is no proof at a gate with a secret; and a wrong one at the other gate.
      answers.push(await told('upstream-get', callbackBody({ ...facts, client_orderid }, new Secret(OTHER_CONTROL_KEY))));
      answers.push(await told('upstream-post', callbackBody({ ...facts, client_orderid }, new Secret(OTHER_CONTROL_KEY))));
    }
    expect(answers.map(({ status, body }) => [status, body])).toStrictEqual(answers.map(() => [200, 'OK']));
    expect((await bySignature.status(order)).fields).toMatchObject({ status: 'approved' });
    const shown = await orch(['--json', 'show', order.orderId], service.orchEnvironment);
    expect(shown.out).not.toContain('LateResultConflict');
  });

  it("is found by its key if the callback comes to the gate's common address", async () => {
    const order = await byControl.approvedSale();
    const client_orderid = await attemptKeyOf(order);
    const before = await heard('upstream-post', 'outcome', 'nothing-new');
    const orderid = (await eventsOf(order)).find(({ type }) => type === 'AttemptApproved')?.data.receipt?.gateOrderId ?? '';
    const facts = { status: 'approved', orderid, type: 'sale', amount: '10.42', currency: 'USD', client_orderid };
    const { status } = await told('upstream-post', callbackBody(facts, new Secret(SANDBOX_CONTROL_KEY)));
    expect([status, (await heard('upstream-post', 'outcome', 'nothing-new')) - before]).toStrictEqual([200, 1]);
  });

  it('receives a callback about a later follow-up as a hint', async () => {
    const order = await byControl.approvedSale();
    await byControl.approvedFollowUp('return', order, { amount: '1.00', currency: 'USD' });
    await until(async () => (await heard('upstream-post', 'hint', 'nothing-open')) + (await heard('upstream-post', 'hint', 'due')) > 0, {
      what: 'the hint',
      timeoutMs: 30_000,
      seen: () => service.stdout.slice(-2_000),
    });
  });
});

it('a callback to a gate without callbacks gets the same 404 as one to an unknown gate', async () => {
  const answers = await Promise.all(['sim-a', 'nobody', 'upstream-nobody'].map((gate) => told(gate, '{}')));
  const nowhere = await service.request('/paynet/nowhere');
  for (const { status, body } of [...answers, nowhere]) expect([status, body]).toStrictEqual([404, 'Not Found\n']);
});
