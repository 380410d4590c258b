import type { KillPoint, OrderId } from '@app/kernel';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { cardOf, Device } from '../../support/devices/device';
import { Merchant, type Accepted, type Answer } from '../../support/merchants/merchant';
import { API, Replicas, WORKER } from '../../support/processes/replicas';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const PAYMENTS = 5;
/** An inquiry about a dead worker's attempt waits until its flight time is over. */
const FINAL_WAIT_MS = 60_000;

let merchantServer: ScriptedMerchant;
let receiver: CallbackReceiver;
let replicas: Replicas;
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  [merchantServer, receiver] = await Promise.all([ScriptedMerchant.start(SANDBOX_CONTROL_KEY), CallbackReceiver.start()]);
  replicas = await Replicas.start({
    configuration: sandboxConfiguration({ ports: [receiver.port], acme: { merchantUrl: merchantServer.url } }),
    processes: [API, API, WORKER],
  });
  acme = new Merchant(replicas.at(0));
  cardRefId = await acme.registeredCard();
});
afterAll(async () => {
  await replicas?.dispose();
  await receiver?.stop();
  await merchantServer?.stop();
});

describe('a worker killed while the api continues (safety, section 2.2)', () => {
  const dyingAt = async <Result>(point: KillPoint, reach: number, work: () => Promise<Result>): Promise<Result> => {
    const worker = replicas.at(2);
    await worker.restart(replicas.environmentOf({ ...WORKER, FAILPOINT: `${point}:${reach}` }));
    const ended = worker.exited();
    const result = await work();
    expect(await ended).toStrictEqual({ code: null, signal: 'SIGKILL' });
    return result;
  };
  const startAgain = (): Promise<void> => replicas.at(2).restart(replicas.environmentOf(WORKER));

  /** An order that never reached the gate ends with an error, and an approved one is reported approved (architecture, rule 4). */
  const expectToldAsCharged = (orders: readonly Accepted[], finals: readonly Answer['fields'][]): void => {
    const ledger = replicas.ledger();
    try {
      const charges = ledger.approvedChargesByOrder();
      const told = finals.map(({ status }, index) => [status, charges.get((orders[index]?.orderId ?? '') as OrderId) ?? 0]);
      for (const pair of told) {
        expect([
          ['approved', 1],
          ['error', 0],
        ]).toContainEqual(pair);
      }
      expect(told).toContainEqual(['approved', 1]);
      expect(ledger.violations()).toStrictEqual([]);
    } finally {
      ledger.close();
    }
  };

  it.each<[KillPoint, number]>([
    ['P6', 2],
    ['P8', 2],
    ['P9', 2],
    ['P10', 2],
    ['P11', 2],
    ['P12', 2],
  ])('%s: recurrent payments are accepted and charged once each, with consistent callbacks', async (point, reach) => {
    const path = `/${point}`;
    const pay = () => acme.accepted(acme.rebill(cardRefId, { server_callback_url: receiver.url(path) }));
    const orders = await dyingAt(point, reach, () => Promise.all(Array.from({ length: PAYMENTS }, pay)));
    const whileDead = await pay();
    expect((await acme.status(whileDead)).fields).toMatchObject({ type: 'status-response', status: 'processing' });
    await startAgain();
    const all = [...orders, whileDead];
    const finals = await Promise.all(all.map((order) => acme.finalStatus(order, FINAL_WAIT_MS)));
    expectToldAsCharged(all, finals);
    const ids = (): ReadonlySet<string> => new Set(receiver.at(path).map(({ webhookId }) => webhookId));
    await until(() => ids().size >= all.length, { what: 'callbacks', seen: () => [...ids()] });
    expect(ids().size).toBe(all.length);
  });

  it.each<[KillPoint, string]>([
    ['P6', 'error'],
    ['P7', 'approved'],
  ])('%s: a return is made at most once', async (point, status) => {
    const order = await acme.approved(acme.rebill(cardRefId));
    const returned = await dyingAt(point, 1, () => acme.accepted(acme.followUp('return', order)));
    await startAgain();
    const end = await acme.followUpEnd(returned, FINAL_WAIT_MS);
    expect(end['status']).toBe(status);
    expectToldAsCharged(
      [order],
      [await acme.status(order)].map(({ fields }) => fields),
    );
    const again = await acme.followUp('return', order);
    expect(again.fields['type'] === 'async-response').toBe(status === 'error');
  });
});

describe('an api killed between a nonce and its order while another continues (safety, B17 and section 2.2)', () => {
  const ASKED = { operation: 'sale', endpointId: '1001', amountCentis: 1_042, body: { sourceOfFunds: { card: cardOf('123') } } } as const;

  it.each<[KillPoint, 'APPROVED' | 'PROCESSING_FAILED']>([
    // The nonce is claimed but no order was accepted: the repeat is treated as the first request.
    ['P2', 'APPROVED'],
    // The security code was lost with the process that accepted it.
    ['P3', 'PROCESSING_FAILED'],
  ])('%s: a repeat at the other api is the same order, and no other invoice can use the nonce', async (point, end) => {
    const doomed = replicas.at(1);
    await doomed.restart(replicas.environmentOf({ ...API, FAILPOINT: point }));
    const [app, there] = [replicas.at(0), doomed].map((at) => new Device(at, merchantServer, SANDBOX_CONTROL_KEY)) as [Device, Device];
    const asked = there.initiate(ASKED);
    const ended = doomed.exited();
    await expect(there.perform(asked)).rejects.toThrow();
    expect(await ended).toStrictEqual({ code: null, signal: 'SIGKILL' });

    const rival = app.initiate({ ...ASKED, nonce: asked.nonce });
    expect((await app.perform(rival)).json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
    const token = await app.performed(asked);
    await doomed.restart(replicas.environmentOf(API));
    expect(await there.performed(asked)).toBe(token);
    const seen: { told?: Readonly<Record<string, unknown>> } = {};
    const told = await until(
      async () => {
        seen.told = (await app.status(asked, token)).json;
        return (seen.told['state'] === 'APPROVED' || 'error' in seen.told) && seen.told;
      },
      { what: 'an end', timeoutMs: 100_000, seen: () => seen.told },
    );
    expect(told).toMatchObject(end === 'APPROVED' ? { state: end } : { error: { cause: end } });
    const ledger = replicas.ledger();
    try {
      expect(ledger.violations()).toStrictEqual([]);
    } finally {
      ledger.close();
    }
  });
});
