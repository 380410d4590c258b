import { devicePlan, sampleDeviceOrder, settle } from '@app/testing';
import { CHARGED, DeviceScenario } from './device-scenario';
import { HOLDER, type OrderProcess } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const never = <Value>(): Promise<Value> => new Promise(() => undefined);
const withCvv = devicePlan({ cvvHolder: HOLDER });

describe('a process interrupted between acceptance and attempt (safety, section 2.2: P4 to P5)', () => {
  const dieInCheck = async (world: DeviceScenario, dying: OrderProcess): Promise<void> => {
    world.merchantServer.onCheck = never;
    const { cvvHolder } = (await world.contexts.open(world.stream)).order.plan;
    if (cvvHolder === undefined) void dying.workOrder.work(world.stream);
    else await world.handIn(dying);
    await settle(10);
    world.holderDies();
    world.merchantServer.onCheck = () => Promise.resolve({ kind: 'passed' });
  };

  it('leaves an order with a CVV that ends interrupted without a charge [W383]', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await dieInCheck(world, world.newProcess());
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect(world.transferred).toEqual([0, 0]);
  });

  it('leaves an order without a CVV that is checked again and sent to the gate once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    await dieInCheck(world, world.newProcess());
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect([world.merchantServer.checks, world.transferred]).toEqual([2, [1, 0]]);
  });

  it('leaves a checked but unclaimed order that is sent without another check', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    world.vault.state = 'away';
    await expect(world.newProcess().workOrder.work(world.stream)).rejects.toThrow('away');
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked']);
    world.vault.state = 'open';
    await world.newProcess().workOrder.work(world.stream);
    expect([world.merchantServer.checks, world.transferred]).toEqual([1, [1, 0]]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it.each(['refused', 'not-stored-answer-lost', 'stored-answer-lost'] as const)(
    'retries an order with a CVV from its queue if recording the check fails (%s)',
    async (kind) => {
      const world = new DeviceScenario();
      await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
      world.store.stumble({ kind });
      await world.handIn();
      await world.clock.advance(SECOND_MS);
      await settle(10);
      expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
      expect(world.transferred).toEqual([1, 0]);
    },
  );
});

describe("between the gate's approval and the order's approval", () => {
  it('a process killed during the notification is replaced by another, which notifies again without asking the gate', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = never;
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn(world.newProcess());
    expect((await world.story()).at(-1)).toBe('AttemptApproved');
    world.merchantServer.onNotify = () => Promise.resolve('acknowledged');
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect((await world.story()).slice(-2)).toEqual(['CardsMapped', 'OrderApproved']);
    const [first, second] = world.merchantServer.notified;
    expect(second).toEqual(first);
    expect(world.transferred).toEqual([1, 0]);
  });

  it('a second worker waits for the conclusion in progress, and the merchant server is notified once', async () => {
    const world = new DeviceScenario();
    let acknowledge: (answer: 'acknowledged') => void = () => undefined;
    world.merchantServer.onNotify = () => new Promise((resolve) => (acknowledge = resolve));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    const working = world.process.workOrder.work(world.stream);
    let isDrained = false;
    void world.process.concludeInBackground.drained().then(() => (isDrained = true));
    await settle(10);
    expect([world.merchantServer.notified.length, isDrained]).toEqual([1, false]);
    acknowledge('acknowledged');
    await expect(working).resolves.toBeUndefined();
    await settle(10);
    expect([world.merchantServer.notified.length, isDrained]).toEqual([1, true]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('two concurrent processes end the order once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    const workers = [world.newProcess(), world.newProcess()];
    for (let round = 0; round < 3; round++)
      await world.whileTimePasses(Promise.all(workers.map(({ workOrder }) => workOrder.work(world.stream))));
    const story = await world.story();
    expect(story.filter((type) => type === 'OrderApproved' || type === 'CardsMapped')).toEqual(['CardsMapped', 'OrderApproved']);
  });

  it('a merchant server that does not acknowledge does not delay the order, and a later notification is scheduled', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = () => Promise.resolve('not-acknowledged');
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    expect(await world.lastData()).toMatchObject({ callbacks: ['callback', 'notification'] });
  });

  it('a failed conclusion is reported and left to the worker', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = () => Promise.reject(new Error('a bug'));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await world.handIn();
    expect(world.errors).toHaveLength(1);
    await world.process.concludeInBackground.drained();
    world.merchantServer.onNotify = () => Promise.resolve('acknowledged');
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('the worker concludes an order that was approved by an inquiry', async () => {
    const world = new DeviceScenario();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    await world.acceptTransfer();
    await world.workOrder.work(world.stream);
    await world.workOrder.work(world.stream);
    await settle(10);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });
});
