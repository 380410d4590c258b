import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted, type Answer } from '../../support/merchants/merchant';
import { refusal } from '../../support/merchants/refusal';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(60_000);

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;
let folder: string;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  service = await Service.start({ configuration: sandboxConfiguration({ ports: [receiver.port] }) });
  acme = new Merchant(service);
  folder = mkdtempSync(join(tmpdir(), 'disputes-'));
}, 60_000);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await receiver.stop();
  await service.dispose();
});

const USD = (amount: string): Fields => ({ amount, currency: 'USD' });
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
const shown = ({ status, 'transaction-type': type, 'order-stage': stage, amount }: Answer['fields']) => ({ status, type, stage, amount });
const now = async (order: Order): Promise<ReturnType<typeof shown>> => shown(await acme.finalStatus(order));
const chargeback = (order: Order, id: string, amount: string, ...more: readonly string[]): Promise<OrchEnded> =>
  verb('chargeback', 'add', order.orderId, '--case', id, '--amount', amount, '--currency', 'USD', ...more);

const notifiedSale = async (): Promise<{ readonly order: Accepted; readonly id: string }> => {
  const id = acme.newOrderId('disputed');
  const order = await acme.approvedSale({
    client_orderid: id,
    ...USD('10.00'),
    server_callback_url: receiver.url(`/callback/${id}`),
    notify_url: receiver.url(`/notify/${id}`),
  });
  return { order, id };
};
const heardAt = (id: string, count: number): Promise<readonly Record<string, string>[]> =>
  until(
    () => {
      const heard = receiver.at(`/notify/${id}`);
      return heard.length >= count && heard.map(({ body, webhookId }) => ({ webhookId, ...(JSON.parse(body) as Record<string, string>) }));
    },
    { what: `${count} callbacks` },
  );

describe('a chargeback recorded by an operator (decisions, sections 2 and 6)', () => {
  it("changes the order's type and stage and reduces the returnable amount until it is won [W198, W338]", async () => {
    const { order, id } = await notifiedSale();
    const added = await chargeback(order, 'CB-1', '7.00', '--reason-code', '10.4', '--date', '2024-11-24', '--actor', 'kim');
    expect(added).toMatchObject({ code: 0, out: `chargeback CB-1 is recorded; order ${order.orderId} is chargeback_approved\n` });
    expect(await now(order)).toStrictEqual({ status: 'approved', type: 'chargeback', stage: 'chargeback_approved', amount: '10.00' });
    // A status by the first request's serial still shows the original result.
    expect(shown((await acme.status(order, { 'by-request-sn': order.serial })).fields)).toMatchObject({
      type: 'sale',
      stage: 'sale_approved',
    });
    expect((await acme.followUp('return', order, USD('3.01'))).fields).toMatchObject(refusal('9', 'Amount'));

    const again = await chargeback(order, 'CB-1', '7.00');
    expect(again).toMatchObject({ code: 0, out: 'chargeback CB-1 was recorded before: nothing is changed\n' });
    const won = await verb('--json', 'chargeback', 'won', order.clientOrderId, '--case', 'CB-1');
    expect(JSON.parse(won.out)).toMatchObject({
      version: 1,
      isKnown: false,
      order: { stage: 'chargeback_rejected', reports: [{ kind: 'chargeback', case: 'CB-1', reasonCode: '10.4' }, { outcome: 'won' }] },
    });
    expect(await now(order)).toStrictEqual({ status: 'approved', type: 'chargeback', stage: 'chargeback_rejected', amount: '10.00' });
    await acme.approvedFollowUp('return', order, USD('10.00'));
    expect(await now(order)).toMatchObject({ type: 'reversal', stage: 'reversal_approved' });

    const heard = await heardAt(id, 4);
    const common = { orderid: order.orderId, client_orderid: id, currency: 'USD' };
    expect(heard).toHaveLength(4);
    for (const expected of [
      { ...common, status: 'approved', type: 'sale', amount: '10.00' },
      {
        ...common,
        status: 'approved',
        type: 'chargeback',
        amount: '7.00',
        report: 'chargeback',
        'report-id': 'CB-1',
        'report-stage': 'first',
        'reason-code': '10.4',
        control: acme.callbackControlOf('approved', order),
      },
      {
        ...common,
        status: 'declined',
        type: 'chargeback',
        amount: '7.00',
        report: 'representment_won',
        'report-id': 'CB-1',
        control: acme.callbackControlOf('declined', order),
      },
      { ...common, status: 'approved', type: 'reversal', amount: '10.00' },
    ])
      expect(heard).toContainEqual(expect.objectContaining(expected));
    expect(new Set(heard.map(({ webhookId }) => webhookId)).size).toBe(4);
    expect(receiver.at(`/callback/${id}`)).toHaveLength(1);
  });

  it('appears in the timeline, and finds its order by case id and by kind', async () => {
    const order = await acme.approvedSale(USD('10.00'));
    const { 'processor-tx-id': transaction = '' } = await acme.finalStatus(order);
    const named = async (text: string): Promise<boolean> =>
      (await service.operatorRequest(`/orders/find?q=${encodeURIComponent(text)}`)).body.includes(order.orderId);
    await until(() => named(transaction), { what: 'the order by the reference of its gate' });
    const added = await verb('chargeback', 'add', transaction, '--case', 'CB-FOUND', '--amount', '10.00', '--currency', 'USD');
    expect(added.out).toContain(order.orderId);
    expect((await verb('show', order.orderId)).out).toContain('case CB-FOUND of gate sim-a');
    await until(() => named('CB-FOUND'), { what: 'the order by its case' });
    expect((await verb('--json', 'find', 'chargeback', '--limit', '1000')).out).toContain(order.orderId);
    const { body } = await service.operatorRequest('/metrics');
    expect(body).toMatch(/^orchestrator_dispute_reports_total\{gate="sim-a",kind="chargeback",outcome="recorded"\} [1-9]/m);
  });
});

describe('a reversal and a fraud warning recorded by an operator', () => {
  it("are sent to notify_url, and the warning does not change the order's status", async () => {
    const { order, id } = await notifiedSale();
    const warned = await verb('dispute', 'fraud-warning', order.orderId, '--case', 'FW-1', '--reason-code', 'C');
    expect(warned).toMatchObject({ code: 0, out: `fraud warning FW-1 is recorded; order ${order.orderId} is sale_approved\n` });
    expect(await now(order)).toMatchObject({ type: 'sale', stage: 'sale_approved' });
    const reversed = await verb('dispute', 'reversal', order.orderId, '--case', 'RV-1', '--amount', '4', '--currency', 'USD');
    expect(reversed.code).toBe(0);
    expect(await now(order)).toStrictEqual({ status: 'approved', type: 'reversal', stage: 'reversal_approved', amount: '10.00' });
    const heard = await heardAt(id, 3);
    expect(heard).toContainEqual(
      expect.objectContaining({
        type: 'fraud_warning',
        report: 'fraud_warning',
        'report-id': 'FW-1',
        'reason-code': 'C',
        status: 'approved',
      }),
    );
    expect(heard).toContainEqual(expect.objectContaining({ type: 'reversal', report: 'reversal', amount: '4.00', status: 'approved' }));
  });
});

describe('a file of dispute reports', () => {
  const HEADER = 'order,kind,case,amount,currency,reason_code,stage,outcome,date';
  const imported = (lines: readonly string[], gate = 'sim-a'): Promise<OrchEnded> => {
    const file = join(folder, 'reports.csv');
    writeFileSync(file, `${[HEADER, ...lines].join('\r\n')}\r\n`);
    return verb('dispute', 'import', '--gate', gate, '--file', file);
  };

  it('is processed line by line past faulty lines, and changes nothing when processed again', async () => {
    const [one, two] = [await acme.approvedSale(USD('10.00')), await acme.approvedSale(USD('10.00'))];
    const lines = [
      `${one.orderId},chargeback,F-1,10.00,USD,13.1,first,,2024-11-20`,
      `${one.orderId},representment,F-1,,,,first,lost,2024-11-21`,
      'nothing,chargeback,F-2,1.00,USD,,,,',
      `${two.clientOrderId},reversal,F-3,2.00,USD,,,,`,
      `${two.orderId},chargeback,F-4,10.01,USD,,,,`,
      `${two.orderId},chargeback,F-5,1.00,EUR`,
    ];
    const first = await imported(lines);
    expect([first.code, first.out]).toStrictEqual([4, '3 recorded, 0 known before, 1 set aside, 2 failed\n']);
    expect(first.problems.trim().split('\n')).toStrictEqual([
      expect.stringMatching(/^line 4: no order "nothing"/),
      'line 6: does not fit the order and is set aside for review: more-than-taken',
      'line 7: 5 values instead of 9',
      '3 lines were not recorded',
    ]);
    expect(await now(one)).toMatchObject({ type: 'chargeback', stage: 'chargeback_approved' });
    expect(await now(two)).toMatchObject({ type: 'reversal', stage: 'reversal_approved' });
    const again = await imported(lines);
    expect([again.code, again.out]).toStrictEqual([4, '0 recorded, 4 known before, 0 set aside, 2 failed\n']);
  });
});
