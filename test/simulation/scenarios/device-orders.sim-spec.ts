import type { CheckOutcome } from '@app/orders';
import { destinationReferred, devicePlan, sampleDeviceOrder, sampleGate, settle, sourceReferred, usd } from '@app/testing';
import { CHARGED, DeviceScenario } from './device-scenario';
import { CVV, HOLDER } from './order-scenario';
import { declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const never = <Value>(): Promise<Value> => new Promise(() => undefined);
const withCvv = devicePlan({ cvvHolder: HOLDER });
const byReference = () => {
  const { card: _card, destination: _destination, ...order } = sampleDeviceOrder();
  return order;
};

describe('an order of the device interface', () => {
  it('is checked once, sent to the gate once, and approved after one card notification [W405, W407]', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect([world.merchantServer.checks, world.transferred, world.merchantServer.notified.length]).toEqual([1, [1, 0], 1]);
    expect(world.gate.transfers[0]).toMatchObject({ amount: usd(1_042n), cvv: CVV, payerReturnUrl: expect.any(String) as string });
    expect(world.gate.transfers[0]?.destination.reveal()).toMatchObject({ number: expect.any(String) as string });
    expect(world.process.cvvQueue.held).toBe(0);
  });

  it('without a CVV is sent to the gate once by ten concurrent workers', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    const workers = Array.from({ length: 10 }, () => world.newProcess().workOrder);
    for (let round = 0; round < 3; round++) await world.whileTimePasses(Promise.all(workers.map((worker) => worker.work(world.stream))));
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect(world.transferred).toEqual([1, 0]);
  });

  it.each<[string, boolean]>([
    ['with a CVV is inquired as one, because the gate may have it from such an interface', true],
    ['without a CVV is inquired as any other: no gate was sent it by such an interface', false],
  ])('%s', async (_, hasCvv) => {
    const world = new DeviceScenario();
    world.gate.onTransfer = () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    await world.acceptTransfer(sampleDeviceOrder({ plan: hasCvv ? withCvv : devicePlan() }));
    await (hasCvv ? world.handIn() : world.workOrder.work(world.stream));
    await world.clock.advance(60_000);
    await world.workOrder.work(world.stream);
    expect(world.gate.questions.map(({ isByDevice = false }) => isByDevice)).toEqual([hasCvv]);
  });

  it('by reference charges the cards that the merchant server names', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = () => Promise.resolve({ kind: 'passed', source: sourceReferred, destination: destinationReferred });
    await world.acceptTransfer(byReference());
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    const open = await world.contexts.open(world.stream);
    expect(open.order).toMatchObject({
      card: sourceReferred.card,
      cardRefId: sourceReferred.cardRefId,
      destination: destinationReferred.card,
    });
  });

  it.each<[string, CheckOutcome]>([
    ['no source', { kind: 'passed', destination: destinationReferred }],
    ['no destination', { kind: 'passed', source: sourceReferred }],
  ])('by reference ends without asking a gate if the merchant server names %s', async (_what, outcome) => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = () => Promise.resolve(outcome);
    await world.acceptTransfer(byReference());
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantCheckFailed', 'OrderFailed']);
    expect(world.transferred).toEqual([0, 0]);
  });

  it('is not sent to the gate if its receiving card was shredded', async () => {
    const world = new DeviceScenario();
    world.vault.isReceivingErased = true;
    await world.acceptTransfer(sampleDeviceOrder({ plan: devicePlan({ gates: [sampleGate()] }) }));
    await world.workOrder.work(world.stream);
    expect(world.transferred).toEqual([0, 0]);
    expect(await world.lastData()).toMatchObject({ code: 122 });
  });

  it('follows the cascade like every order, with one check', async () => {
    const world = new DeviceScenario();
    world.gate.onCharge = ({ key }) => Promise.resolve(declinedBy(key, 100));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    expect([world.merchantServer.checks, world.transferred]).toEqual([1, [1, 1]]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });
});

describe('a merchant server that is down [W426]', () => {
  it('is asked again at increasing intervals, and the order continues once it is back', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = () => Promise.resolve({ kind: world.merchantServer.checks < 4 ? 'unreachable' : 'passed' });
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    await world.clock.advance(6_999);
    expect(world.merchantServer.checks).toBe(3);
    await world.clock.advance(1);
    await settle(10);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it.each<[string, () => Promise<CheckOutcome>]>([
    ['refuses every connection', () => Promise.resolve({ kind: 'unreachable' })],
    ['never answers', never],
  ])('ends the order after 25 s without asking a gate if it %s', async (_what, onCheck) => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = onCheck;
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    await world.clock.advance(25 * SECOND_MS - 1);
    expect(await world.story()).toEqual(['OrderAccepted']);
    await world.clock.advance(1);
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantCheckFailed', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect([world.transferred, world.process.cvvQueue.held]).toEqual([[0, 0], 0]);
  });

  it('decides by its first valid response, and a later response is ignored', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    let answerLate: (outcome: CheckOutcome) => void = () => undefined;
    world.merchantServer.onCheck = () => new Promise((resolve) => (answerLate = resolve));
    const slow = world.newProcess().workOrder.work(world.stream);
    await settle(10);
    world.merchantServer.onCheck = () => Promise.resolve({ kind: 'failed', cause: 'filtered' });
    await world.newProcess().workOrder.work(world.stream);
    answerLate({ kind: 'passed' });
    await world.whileTimePasses(slow);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantCheckFailed', 'OrderFiltered']);
    expect(world.transferred).toEqual([0, 0]);
  });
});
