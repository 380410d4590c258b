import { orch } from '../../support/processes/orch';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { CODES_OF_OURS, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(120_000);

const OPEN_FOR_A_WHILE = '217';

let upstream: Service;
let service: Service;
let acme: Merchant;

beforeAll(async () => {
  upstream = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
  const gate = {
    alias: 'upstream-a',
    adapter: 'paynet',
    codes: CODES_OF_OURS,
    currencies: ['USD'],
    descriptor: 'test-upstream',
    longestFlightSeconds: 1,
    controlKey: SANDBOX_CONTROL_KEY,
    pollSeconds: 0.1,
    upstream: { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true, login: 'acme', endpoint: '1001' },
  };
  const endpoints = [{ id: '1005', currency: 'USD', gates: [gate.alias] }];
  service = await Service.start({ configuration: sandboxConfiguration({ gates: [gate], endpoints }), stores: 'files' });
  acme = new Merchant(service, { at: '1005' });
});
afterAll(async () => {
  await service?.dispose();
  await upstream?.dispose();
});

const chargedUpstream = (): readonly number[] => {
  const ledger = upstream.ledger();
  try {
    return [...ledger.approvedChargesByOrder().values()];
  } finally {
    ledger.close();
  }
};

const chargedBy = async (act: () => Promise<unknown>): Promise<readonly number[]> => {
  const before = chargedUpstream().length;
  await act();
  return chargedUpstream().slice(before);
};

describe('an order routed to another gateway of the family', () => {
  it("is charged once at that gateway, and approved here with the gateway's references", async () => {
    const charged = await chargedBy(async () => {
      const order = await acme.accepted(acme.sale({ amount: '10.42' }));
      const told = await acme.finalStatus(order);
      expect(told).toMatchObject({ status: 'approved', amount: '10.42', descriptor: 'test-upstream' });
      expect(told['processor-tx-id']).toMatch(/^PNTEST-/);
      expect(told['approval-code']).toMatch(/^\w{6}$/);
    });
    expect(charged).toStrictEqual([1]);
  });

  it('is shown with the events of both logs, joined by the attempt key', async () => {
    const order = await acme.approvedSale();
    const shown = await orch(['--json', 'show', order.orderId, '--follow-upstream', upstream.dataDir], service.orchEnvironment);
    expect(shown).toMatchObject({ code: 0, problems: '' });
    const { events, upstream: there } = JSON.parse(shown.out) as {
      readonly events: readonly { readonly type: string; readonly data: { readonly attemptKey?: string } }[];
      readonly upstream: readonly { readonly gate: string; readonly clientOrderId: string; readonly order: { readonly status: string } }[];
    };
    const key = events.find(({ type }) => type === 'AttemptStarted')?.data.attemptKey;
    expect(there).toMatchObject([
      {
        gate: 'upstream-a',
        attempt: 1,
        standing: 'approved',
        clientOrderId: key,
        order: { merchant: 'acme', clientOrderId: key, status: 'approved' },
      },
    ]);
    const text = await orch(['show', order.orderId, '--follow-upstream', upstream.dataDir], service.orchEnvironment);
    expect(text.out).toContain(`attempt 1 at upstream-a, there under client_orderid ${key}: approved here, approved there`);
  });
});

describe('an order in progress at another gateway', () => {
  it('completes and is charged once if this service is killed after acceptance', async () => {
    const charged = await chargedBy(async () => {
      const order = await acme.accepted(acme.sale({ cvv2: OPEN_FOR_A_WHILE }));
      await acme.statusWhen(order, (fields) => /^sale_(processing|unknown)$/.test(fields['order-stage'] ?? ''), 'the way');
      await service.kill();
      await service.restart();
      expect(await acme.finalStatus(order, 60_000)).toMatchObject({ status: 'approved' });
    });
    expect(charged).toStrictEqual([1]);
  });

  it('completes and is charged once if the other gateway is killed during the charge', async () => {
    const charged = await chargedBy(async () => {
      const order = await acme.accepted(acme.sale({ cvv2: OPEN_FOR_A_WHILE }));
      await acme.statusWhen(order, (fields) => /^sale_(processing|unknown)$/.test(fields['order-stage'] ?? ''), 'the way');
      await upstream.kill();
      await upstream.restart();
      expect(await acme.finalStatus(order, 60_000)).toMatchObject({ status: 'approved' });
    });
    expect(charged).toStrictEqual([1]);
  });
});
