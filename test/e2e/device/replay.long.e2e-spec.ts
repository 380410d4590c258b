import type { OrderId } from '@app/kernel';
import { cardOf, Device, type Asked, type Initiated } from '../../support/devices/device';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

/** Safety, B17. */
const REPLAYS = 20;
const AT_ONCE = 10;
/** Safety, B9: bursts of 2 to 100. */
const BURST_SIZES = [2, 50];

let merchant: ScriptedMerchant;
let service: Service;
let device: Device;

beforeAll(async () => {
  merchant = await ScriptedMerchant.start(SANDBOX_CONTROL_KEY);
  service = await Service.start({ configuration: sandboxConfiguration({ acme: { merchantUrl: merchant.url } }) });
  device = new Device(service, merchant, SANDBOX_CONTROL_KEY);
});
afterAll(async () => {
  await service?.dispose();
  await merchant?.stop();
});

const sale = (more: Partial<Asked> = {}): Asked => ({
  operation: 'sale',
  endpointId: '1001',
  amountCentis: 1_042,
  body: { sourceOfFunds: { card: cardOf('123') } },
  ...more,
});
const verification = (more: Partial<Asked> = {}): Asked => ({
  operation: 'verification',
  endpointId: '1001',
  body: { sourceCard: cardOf('123') },
  ...more,
});

const performed = async (all: readonly Initiated[]) => {
  const waiting = [...all];
  const said: Record<string, unknown>[] = [];
  const sender = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) said.push({ ...(await device.perform(next)).json });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return said as readonly {
    readonly error?: { readonly cause: string; readonly code: string };
    readonly session?: { readonly token: string };
  }[];
};
const replaysOf = ({ nonce }: Initiated, count: number): readonly Initiated[] =>
  Array.from({ length: count }, (_, at) => device.initiate(at % 2 === 0 ? sale({ nonce }) : verification({ nonce })));
const expectRefused = (said: Awaited<ReturnType<typeof performed>>): void => {
  expect(new Set(said.map(({ error }) => error?.cause))).toStrictEqual(new Set(['INVALID_REQUEST']));
  expect(new Set(said.map(({ error }) => error?.code)).size).toBe(said.length);
};

describe('a nonce is accepted once per endpoint (protocol decisions, section 8; safety, B17)', () => {
  it(`${REPLAYS} other invoices with a used nonce are refused without a check, half of them after a restart [W373, W414, W416]`, async () => {
    const first = device.initiate(sale());
    const token = await device.performed(first);
    const before = replaysOf(first, REPLAYS / 2);
    expectRefused(await performed(before));
    // A security code exists only in memory. If a kill precedes the gate call, the order ends without a charge.
    expect(await device.statusWhen(first, token, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
    await service.kill();
    await service.restart();
    const after = replaysOf(first, REPLAYS / 2);
    expectRefused(await performed(after));
    expect((await device.status(first, token)).json).toMatchObject({ state: 'APPROVED' });
    for (const { invoiceId } of [...before, ...after]) expect(merchant.of('check', invoiceId)).toStrictEqual([]);
  });

  it('one of several simultaneous invoices with the same nonce is accepted [W416]', async () => {
    const first = device.initiate(sale());
    const said = await performed([first, ...replaysOf(first, AT_ONCE - 1)]);
    expect(said.filter(({ session }) => session !== undefined)).toHaveLength(1);
    expectRefused(said.filter(({ error }) => error !== undefined));
  });

  it('the same nonce is accepted at another endpoint [W416]', async () => {
    const first = device.initiate(sale());
    await device.performed(first);
    await expect(device.performed(device.initiate(sale({ nonce: first.nonce, endpointId: '1003' })))).resolves.toMatch(/./);
  });
});

describe('identical simultaneous performs make one order (safety, B9)', () => {
  it.each(BURST_SIZES)('%i of them get one token and cause one check and one gate call [W417]', async (size) => {
    const asked = device.initiate(sale());
    const answers = await Promise.all(Array.from({ length: size }, () => device.perform(asked)));
    const [token = '', ...others] = new Set(answers.map(({ json }) => (json['session'] as { token?: string } | undefined)?.token));
    expect(others).toStrictEqual([]);
    const status = await device.statusWhen(asked, token, 'APPROVED', 'DECLINED');
    expect(status).toMatchObject({ state: 'APPROVED' });
    expect(merchant.of('check', asked.invoiceId)).toHaveLength(1);
    const ledger = service.ledger();
    try {
      const orderId = status['orderId'] as OrderId;
      expect(ledger.requests().filter((request) => request.orderId === orderId && request.kind === 'charge')).toHaveLength(1);
      expect(ledger.approvedChargesByOrder().get(orderId)).toBe(1);
      expect(ledger.violations()).toStrictEqual([]);
    } finally {
      ledger.close();
    }
  });
});
