import type { MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import { CvvSubmitQueue, HELD_PER_LANE_MAX, type OrderContexts, type SubmitAttempt, workLane } from '@app/orders';
import { devicePlan, FEE_A, FEE_B, FEE_CHOICE_MS, sampleDeviceOrder, settle, usd } from '@app/testing';
import { CHARGED, DeviceScenario } from './device-scenario';
import { CVV, HOLDER, LANE } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const never = <Value>(): Promise<Value> => new Promise(() => undefined);
const choosing = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } });
const choosingWithCvv = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS }, cvvHolder: HOLDER });

describe("the consumer's choice of a gate's fee", () => {
  const quoting = (world: DeviceScenario): void => {
    world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_A.commission });
    world.otherGate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_B.commission });
  };
  const offered = async (plan = choosingWithCvv): Promise<DeviceScenario> => {
    const world = new DeviceScenario();
    quoting(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan }));
    if (plan.cvvHolder === undefined) await world.workOrder.work(world.stream);
    else await world.handIn();
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered']);
    return world;
  };
  const SERIAL = '00000000-0000-0000-0000-000000000002';

  it('pauses the order with its CVV held, and continues at the chosen gate at once if made in this process [W59]', async () => {
    const world = await offered();
    expect([world.process.cvvQueue.held, world.transferred]).toEqual([1, [0, 0]]);
    await world.clock.advance(600 * SECOND_MS);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_B.gate, { serial: SERIAL });
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'FeeChosen', ...CHARGED]);
    expect([world.process.cvvQueue.held, world.transferred, world.otherGate.transfers[0]?.cvv]).toEqual([0, [0, 1], CVV]);
  });

  it('raises an alarm only if the gate charges another commission than the chosen one', async () => {
    const held = async (minor: bigint): Promise<DeviceScenario> => {
      const world = await offered();
      world.otherGate.onCharge = ({ key }) => Promise.resolve({ ...approvedBy(key), commission: usd(minor) } as ChargeAnswer);
      await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_B.gate, { serial: SERIAL });
      await settle(10);
      return world;
    };
    expect(await (await held(200n)).story()).not.toContain('CommissionDiffered');
    const world = await held(201n);
    const differed = (await world.stored()).find(({ type }) => type === 'CommissionDiffered');
    expect(JSON.parse(differed?.data ?? '{}')).toMatchObject({ offered: { minor: '200' }, held: { minor: '201' } });
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is noticed within 3 seconds by the process that holds the CVV if another process recorded it', async () => {
    const world = await offered();
    await world.newProcess().chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    await settle(10);
    expect(world.transferred).toEqual([0, 0]);
    await world.clock.advance(3 * SECOND_MS);
    await settle(10);
    expect(world.transferred).toEqual([1, 0]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is recorded once for ten simultaneous requests', async () => {
    const world = await offered(choosing);
    const open = await world.contexts.open(world.stream);
    const gates = [FEE_A.gate, FEE_B.gate];
    const choosers = Array.from({ length: 10 }, (_, number) =>
      world.newProcess().chooseFee.choose(open, gates[number % 2] ?? FEE_A.gate, { serial: SERIAL }),
    );
    const choices = await world.whileTimePasses(Promise.all(choosers));
    expect(choices.filter(({ kind }) => kind === 'chosen')).toHaveLength(1);
    expect(choices.filter((choice) => choice.kind === 'refused' && choice.reason === 'fee-not-awaited')).toHaveLength(9);
    expect((await world.story()).filter((type) => type === 'FeeChosen')).toHaveLength(1);
  });

  it('is traced back to its request', async () => {
    const world = await offered(choosing);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    const chosen = (await world.stored()).at(-1);
    expect(JSON.parse(chosen?.metadata ?? '{}')).toMatchObject({ correlation: SERIAL, actor: 'acme' });
  });

  it('is executed by a worker if there is no CVV', async () => {
    const world = await offered(choosing);
    await world.newProcess().chooseFee.choose(await world.contexts.open(world.stream), FEE_B.gate, { serial: SERIAL });
    await world.workOrder.work(world.stream);
    expect(world.transferred).toEqual([0, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('declines the order with 110 without a charge and releases the CVV if not made in time [W387]', async () => {
    const world = await offered();
    await expect(world.workOrder.work(world.stream)).resolves.toBe(world.clock.now() + 60_000);
    await world.clock.advance(FEE_CHOICE_MS);
    expect(world.process.cvvQueue.held).toBe(0);
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    expect(world.transferred).toEqual([0, 0]);
    const late = await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    expect(late).toEqual({ kind: 'refused', reason: 'order-final' });
  });

  it('ends the order without a charge at the next check if the CVV holder is gone', async () => {
    const world = await offered();
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'OrderFailed']);
    expect(world.transferred).toEqual([0, 0]);
  });

  it('continues with the held CVV if the response to storing the offers was lost', async () => {
    const world = new DeviceScenario();
    quoting(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosingWithCvv }));
    const lost = { kind: 'stored-answer-lost' } as const;
    world.store.stumble(lost, lost, lost);
    await world.handIn();
    await world.clock.advance(SECOND_MS);
    expect([world.errors.length, world.process.cvvQueue.held]).toEqual([1, 1]);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'FeeChosen', ...CHARGED]);
  });

  it("uses the queue capacity of waiting payers and not that of the gate's lane", async () => {
    const world = await offered();
    const waiting = await world.contexts.open(world.stream);
    const contexts = { open: () => Promise.resolve(waiting) } as unknown as OrderContexts;
    const submitting = { submit: () => Promise.resolve(waiting) } as unknown as SubmitAttempt;
    const cvvQueue = new CvvSubmitQueue({
      contexts,
      submitting,
      overdue: { overdueIn: () => 0 },
      clock: world.clock,
      monotonic: world.clock,
      scheduler: world.clock,
      onError: (_stream, error) => world.errors.push(error),
    });
    const payerLane = workLane('acme' as MerchantLogin, 'payer');
    for (let number = 1; number <= HELD_PER_LANE_MAX; number++) {
      expect(cvvQueue.hasRoomIn(payerLane)).toBe(true);
      cvvQueue.submitSoon({ lane: LANE, stream: `transfer-${number}` as StreamName, cvv: CVV });
      await settle(1);
    }
    expect([cvvQueue.held, cvvQueue.hasRoomIn(payerLane), cvvQueue.hasRoomIn(LANE)]).toEqual([HELD_PER_LANE_MAX, false, true]);
  });

  it.each<[string, (world: DeviceScenario) => void]>([
    ['stays silent', (world) => (world.gate.onQuote = never)],
    ['throws', (world) => (world.gate.onQuote = () => Promise.reject(new Error('broken')))],
    ['names none', (world) => (world.gate.onQuote = () => Promise.resolve({ kind: 'not-quoted' }))],
    [
      'names another currency',
      (world) => (world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: { minor: 1n, currency: 'EUR' as never } })),
    ],
    ['would pay for it', (world) => (world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: usd(-1n) }))],
  ])('excludes a gate that %s', async (_what, fail) => {
    const world = new DeviceScenario();
    quoting(world);
    fail(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(5 * SECOND_MS);
    await working;
    expect(await world.lastData()).toMatchObject({ offers: [{ gate: FEE_B.gate, commission: { minor: '200' } }] });
  });

  it('ends the order with 122 without a charge if no gate quotes a commission [W384]', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 122 });
    expect(world.transferred).toEqual([0, 0]);
  });
});
