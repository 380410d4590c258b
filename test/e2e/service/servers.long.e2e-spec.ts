import type { OrderId } from '@app/kernel';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import { Payer } from '../../support/merchants/payer';
import { API, Replicas, WORKER } from '../../support/processes/replicas';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import type { Environment } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

/** The password that the simulator's page accepts (protocol decisions, section 9). */
const PASSWORD = 'hint';

describe.each<[string, readonly Environment[]]>([
  ['one process of both roles', [{}]],
  ['a process for each role', [API, WORKER]],
])('on EventStoreDB and PostgreSQL, %s', (_title, processes) => {
  let receiver: CallbackReceiver;
  let replicas: Replicas;
  let acme: Merchant;

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    replicas = await Replicas.start({ configuration: sandboxConfiguration({ ports: [receiver.port] }), processes });
    acme = new Merchant(replicas);
  });
  afterAll(async () => {
    await replicas.dispose();
    await receiver.stop();
  });

  it('a card can be charged with 3-D Secure, registered and charged again, with status and callbacks', async () => {
    const callbackOf = (clientOrderId: string) =>
      until(() => receiver.at(`/${clientOrderId}`)[0], { what: `the callback of ${clientOrderId}` });
    const hearsOf = (clientOrderId: string) => ({ client_orderid: clientOrderId, server_callback_url: receiver.url(`/${clientOrderId}`) });

    const first = acme.newOrderId('first');
    const sale = await acme.accepted(acme.sale({ ...hearsOf(first), cvv2: '321' }, { at: '1003' }));
    const open = await acme.statusWhen(sale, (fields) => fields['redirect-to'] !== undefined, 'the payer`s way');
    expect((await new Payer(replicas).authenticate(open['redirect-to'] ?? '', PASSWORD)).status).toBe(200);
    expect(await acme.finalStatus(sale)).toMatchObject({ status: 'approved' });
    expect(JSON.parse((await callbackOf(first)).body)).toMatchObject({ status: 'approved' });

    const registered = await acme.createCardRef(sale);
    const cardRefId = registered.fields['card-ref-id'] ?? '';
    expect(registered.fields).toMatchObject({ type: 'create-card-ref-response', 'card-ref-id': expect.any(String) });

    const second = acme.newOrderId('second');
    const rebill = await acme.accepted(acme.rebill(cardRefId, hearsOf(second)));
    expect(await acme.finalStatus(rebill)).toMatchObject({ status: 'approved' });
    expect(JSON.parse((await callbackOf(second)).body)).toMatchObject({ status: 'approved' });

    const ledger = replicas.ledger();
    try {
      const charges = ledger.approvedChargesByOrder();
      expect([sale, rebill].map(({ orderId }) => charges.get(orderId as OrderId))).toStrictEqual([1, 1]);
    } finally {
      ledger.close();
    }
  });

  it('every process is ready on its public port, and only `api` serves operations there', async () => {
    for (const [index, service] of replicas.services.entries()) {
      expect((await service.request('/health/ready')).status).toBe(200);
      expect((await service.operatorRequest('/health/ready')).status).toBe(200);
      const { status } = await service.request('/paynet/api/v2/status/1001', { method: 'POST' });
      expect(status === 404).toBe(processes[index] === WORKER);
    }
  });

  it('each process exits on SIGTERM with code 0 and an empty stderr, and restarts', async () => {
    for (const service of replicas.services) {
      expect([await service.stop(), service.stderr]).toStrictEqual([{ code: 0, signal: null }, '']);
      await service.restart();
    }
  });
});

describe('processes that start and stop', () => {
  let receiver: CallbackReceiver;
  let replicas: Replicas;
  let acme: Merchant;

  beforeEach(async () => {
    receiver = await CallbackReceiver.start();
    replicas = await Replicas.start({ configuration: sandboxConfiguration({ ports: [receiver.port] }), processes: [API] });
    acme = new Merchant(replicas);
  });
  afterEach(async () => {
    await replicas.dispose();
    await receiver.stop();
  });

  it('an `api` responds correctly before a worker created read models, and workers finish the remaining work', async () => {
    const paid = await acme.accepted(acme.sale({ server_callback_url: receiver.url('/paid') }));
    expect(await acme.finalStatus(paid)).toMatchObject({ status: 'approved' });
    const waiting = await acme.accepted(acme.sale({ cvv2: undefined, server_callback_url: receiver.url('/waiting') }));
    expect((await acme.status(waiting)).fields).toMatchObject({ status: 'processing' });
    expect(receiver.received).toStrictEqual([]);

    await replicas.add(WORKER, WORKER);
    expect(await acme.finalStatus(waiting)).toMatchObject({ status: 'approved' });
    for (const path of ['/paid', '/waiting']) await until(() => receiver.at(path).length === 1, { what: `the callback at ${path}` });
  });

  it('a second worker takes over projection and work after the first is killed', async () => {
    await replicas.add(WORKER);
    const [, first] = replicas.services;
    await acme.finalStatus(await acme.accepted(acme.sale({ cvv2: undefined })));
    await replicas.add(WORKER);
    await first?.kill();
    const order = await acme.accepted(acme.sale({ cvv2: undefined, server_callback_url: receiver.url('/after') }));
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved' });
    await until(() => receiver.at('/after').length === 1, { what: 'the callback' });
  });
});
