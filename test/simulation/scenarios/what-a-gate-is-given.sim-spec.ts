import type { GateAlias } from '@app/kernel';
import { SEALED_FIELDS } from '@app/orders/domain';
import { OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const CUSTOMER = { holder: 'JOHN SMITH', email: 'john@example.com', country: 'US', birthday: '19800131' };
const DETAILS = {
  description: 'two tickets',
  ipAddress: '203.0.113.7',
  purpose: 'seat 12',
  merchantData: 'basket 7',
  callbackUrl: 'https://shop.example/callback',
};

const worldWith = async (needsTexts: boolean): Promise<OrderScenario> => {
  const world = new OrderScenario();
  world.gate.profile.needsTexts = needsTexts;
  world.vault.texts.set(SEALED_FIELDS.customer, CUSTOMER);
  world.vault.texts.set(SEALED_FIELDS.details, DETAILS);
  await world.accept();
  return world;
};

describe("a gate that requires an order's texts", () => {
  it('receives payer and purchase with the card, but no texts of the merchant', async () => {
    const world = await worldWith(true);
    await world.workOrder.work(world.stream);
    const [{ texts, descriptor } = {}] = world.gate.charges;
    expect(texts?.payer.reveal()).toStrictEqual({ ...CUSTOMER, ipAddress: '203.0.113.7' });
    expect(texts?.purchase.reveal()).toStrictEqual({ description: 'two tickets', purpose: 'seat 12' });
    expect(descriptor).toBe('ACME*SHOP');
    expect(JSON.stringify(world.gate.charges, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      'example.com',
    );
  });

  it('is not asked while the texts cannot be opened, and the order stays due', async () => {
    const world = await worldWith(true);
    let fails = true;
    const unseal = world.vault.unseal.bind(world.vault);
    world.vault.unseal = (...given) => (fails ? Promise.reject(new Error('no answer from the vault')) : unseal(...given));
    await expect(world.workOrder.work(world.stream)).rejects.toThrow('no answer from the vault');
    expect(await world.story()).toEqual(['OrderAccepted']);
    fails = false;
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
  });

  it("receives empty texts if the order's key was erased", async () => {
    const world = await worldWith(true);
    world.vault.texts.clear();
    await world.workOrder.work(world.stream);
    const [{ texts } = {}] = world.gate.charges;
    expect([texts?.payer.reveal(), texts?.purchase.reveal()]).toStrictEqual([{}, {}]);
  });
});

describe('a gate that requires no texts', () => {
  it('receives none, and none are opened', async () => {
    const world = await worldWith(false);
    world.vault.unseal = () => Promise.reject(new Error('opened'));
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(world.gate.charges[0]).not.toHaveProperty('texts');
  });
});

describe('references that a gate returns with its approval', () => {
  const references = {
    gateOrderId: '1839204455',
    cardToken: '1402817',
    networkTransactionId: 'MCC1234567890615',
    loyalty: { balance: '1200', program: 'MILES' },
  };

  it('are recorded with the approval', async () => {
    const world = await worldWith(false);
    world.gate.onCharge = ({ key }) => Promise.resolve({ ...approvedBy(key), ...references });
    await world.workOrder.work(world.stream);
    const attempts = await world.attempts();
    expect(attempts).toMatchObject({ status: 'approved', gate: 'sim-a' as GateAlias, receipt: references });
  });
});
