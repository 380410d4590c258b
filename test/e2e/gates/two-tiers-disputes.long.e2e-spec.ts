import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { CODES_OF_OURS, OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service, type HttpAnswer } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

let receiver: CallbackReceiver;
let upstream: Service;
let service: Service;
let acme: Merchant;

const configurationOfUpstream = (ports: readonly number[]): object => {
  const { merchants, ...whole } = sandboxConfiguration({ ports }) as { readonly merchants: readonly { readonly login: string }[] };
  return { ...whole, merchants: merchants.map((one) => (one.login === 'other' ? { ...one, callback: { secret: SECRET } } : one)) };
};

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  upstream = await Service.start({ configuration: configurationOfUpstream([]), stores: 'files' });
  const gate = {
    alias: 'upstream-a',
    adapter: 'paynet',
    codes: CODES_OF_OURS,
    currencies: ['USD'],
    descriptor: 'test-upstream',
    longestFlightSeconds: 1,
    pollSeconds: 0.1,
    callbacks: true,
    controlKey: OTHER_CONTROL_KEY,
    callbackSecret: SECRET,
    upstream: { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true, login: 'other', endpoint: '9001' },
  };
  const endpoints = [{ id: '1005', currency: 'USD', gates: [gate.alias] }];
  service = await Service.start({
    configuration: sandboxConfiguration({ ports: [receiver.port], gates: [gate], endpoints }),
    stores: 'files',
  });
  await upstream.restart(undefined, configurationOfUpstream([service.port]));
  acme = new Merchant(service, { at: '1005' });
});
afterAll(async () => {
  await service?.dispose();
  await upstream?.dispose();
  await receiver?.stop();
});

const upstreamIdOf = async (order: Accepted): Promise<string> => {
  const { body } = await service.operatorRequest(`/orders/${order.orderId}`);
  const { transactionId } = JSON.parse(body) as { readonly transactionId: string };
  const found = await until(
    async () => {
      const answer = await upstream.operatorRequest(`/orders/find?q=${encodeURIComponent(transactionId)}`);
      return (JSON.parse(answer.body) as { readonly found: readonly { readonly order: { readonly orderId: string } }[] }).found[0];
    },
    { what: 'the order at the upstream gateway' },
  );
  return found.order.orderId;
};

const reportedUpstream = (orderId: string, report: object): Promise<HttpAnswer> =>
  upstream.send(`${upstream.operatorUrl}/orders/${orderId}/reports`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...upstream.operatorHeaders },
    body: JSON.stringify(report),
  });

const stageOf = async (order: Accepted): Promise<string | undefined> => (await acme.status(order)).fields['order-stage'];
const comesToStage = (order: Accepted, stage: string): Promise<true> =>
  until(async () => (await stageOf(order)) === stage, { what: stage, timeoutMs: 30_000 });

it('a dispute recorded by an upstream operator reaches our order and its merchant [W338]', async () => {
  const id = acme.newOrderId('disputed');
  const order = await acme.approvedSale({
    client_orderid: id,
    amount: '10.00',
    notify_url: receiver.url(`/notify/${id}`),
  });
  const upstreamId = await upstreamIdOf(order);
  const chargeback = { kind: 'chargeback', case: 'CB-1', amount: '7.00', currency: 'USD', reasonCode: '10.4' };
  expect((await reportedUpstream(upstreamId, chargeback)).status).toBe(200);
  await comesToStage(order, 'chargeback_approved');
  const refused = await acme.followUp('return', order, { amount: '3.01', currency: 'USD' });
  expect(refused.fields).toMatchObject({ 'error-code': '9' });

  expect((await reportedUpstream(upstreamId, { kind: 'representment', case: 'CB-1', outcome: 'won' })).status).toBe(200);
  await comesToStage(order, 'chargeback_rejected');
  expect((await reportedUpstream(upstreamId, { kind: 'fraud-warning', case: 'FW-1' })).status).toBe(200);
  expect((await reportedUpstream(upstreamId, { kind: 'reversal', case: 'RV-1', amount: '1.00', currency: 'USD' })).status).toBe(200);
  await comesToStage(order, 'reversal_approved');

  const heard = await until(() => receiver.at(`/notify/${id}`).length >= 5 && receiver.at(`/notify/${id}`), { what: 'five callbacks' });
  const told = heard.map(({ body }) => JSON.parse(body) as Record<string, string>);
  const common = { orderid: order.orderId, client_orderid: id, currency: 'USD' };
  for (const expected of [
    { ...common, type: 'sale', status: 'approved', amount: '10.00' },
    {
      ...common,
      report: 'chargeback',
      'report-id': 'CB-1',
      'report-stage': 'first',
      'reason-code': '10.4',
      status: 'approved',
      amount: '7.00',
    },
    { ...common, report: 'representment_won', 'report-id': 'CB-1', status: 'declined', amount: '7.00' },
    { ...common, report: 'fraud_warning', 'report-id': 'FW-1', type: 'fraud_warning' },
    { ...common, report: 'reversal', 'report-id': 'RV-1', type: 'reversal', amount: '1.00' },
  ])
    expect(told).toContainEqual(expect.objectContaining(expected));
  expect(told).toHaveLength(5);
  const { body } = await service.operatorRequest(`/orders/${order.orderId}`);
  expect(JSON.parse(body)).toMatchObject({
    reports: [
      { kind: 'chargeback', case: 'CB-1', gate: 'upstream-a', source: 'gate' },
      { kind: 'representment', outcome: 'won' },
      { kind: 'fraud-warning' },
      { kind: 'reversal' },
    ],
  });
});
