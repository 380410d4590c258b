import type { GateAlias, MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import {
  CvvSubmitQueue,
  HELD_PER_LANE_MAX,
  workLane,
  type CheckOutcome,
  type OrderContexts,
  type SubmitAttempt,
} from '@app/order-processing';
import {
  destinationReferred,
  devicePlan,
  FEE_A,
  FEE_B,
  FEE_CHOICE_MS,
  sampleDeviceOrder,
  sampleGate,
  settle,
  sourceReferred,
  usd,
} from '@app/testing';
import { DeviceScenario } from './device-scenario';
import { CVV, HOLDER, type OrderProcess } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const LANE = workLane('acme' as MerchantLogin, 'sim-a' as GateAlias);
const CHARGED = ['AttemptStarted', 'AttemptApproved', 'CardsMapped', 'OrderApproved'];
const never = <Value>(): Promise<Value> => new Promise(() => undefined);
const withCvv = devicePlan({ cvvHolder: HOLDER });
const choosing = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } });
const choosingWithCvv = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS }, cvvHolder: HOLDER });
const byReference = () => {
  const { card: _card, destination: _destination, ...order } = sampleDeviceOrder();
  return order;
};

/** Hands the order to the CVV queue of the process that accepted it. */
const handIn = async ({ stream }: DeviceScenario, { cvvQueue }: OrderProcess): Promise<void> => {
  cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
  await settle(10);
};
const asked = ({ gate, otherGate }: DeviceScenario): readonly number[] => [gate.transfers.length, otherGate.transfers.length];

describe('an order of the device interface', () => {
  it('is checked, sent to the gate, and approved once the merchant server knows its cards: each once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect([world.merchantServer.checks, asked(world), world.merchantServer.notified.length]).toEqual([1, [1, 0], 1]);
    expect(world.gate.transfers[0]).toMatchObject({ amount: usd(1_042n), cvv: CVV, payerReturnUrl: expect.any(String) as string });
    expect(world.gate.transfers[0]?.destination.reveal()).toMatchObject({ number: expect.any(String) as string });
    expect(world.process.cvvQueue.held).toBe(0);
  });

  it('without a CVV is worked on by any worker, and by ten at once is sent to the gate once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    const workers = Array.from({ length: 10 }, () => world.newProcess().workOrder);
    for (let round = 0; round < 3; round++) await world.whileTimePasses(Promise.all(workers.map((worker) => worker.work(world.stream))));
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect(asked(world)).toEqual([1, 0]);
  });

  it('by reference is charged on the cards that the merchant server names', async () => {
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
  ])('by reference ends where the merchant server names %s, and no gate is asked', async (_what, outcome) => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = () => Promise.resolve(outcome);
    await world.acceptTransfer(byReference());
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantCheckFailed', 'OrderFailed']);
    expect(asked(world)).toEqual([0, 0]);
  });

  it('is not sent to the gate when its receiving card was shredded', async () => {
    const world = new DeviceScenario();
    world.vault.isReceivingErased = true;
    await world.acceptTransfer(sampleDeviceOrder({ plan: devicePlan({ gates: [sampleGate()] }) }));
    await world.workOrder.work(world.stream);
    expect(asked(world)).toEqual([0, 0]);
    expect(await world.lastData()).toMatchObject({ code: 122 });
  });

  it('goes through the cascade like every order, checked once', async () => {
    const world = new DeviceScenario();
    world.gate.onCharge = ({ key }) => Promise.resolve(declinedBy(key, 100));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    expect([world.merchantServer.checks, asked(world)]).toEqual([1, [1, 1]]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });
});

describe('a merchant server that is away', () => {
  it('is asked again while there is time, with growing gaps, and the order goes on once it is back', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = () => Promise.resolve({ kind: world.merchantServer.checks < 4 ? 'unreachable' : 'passed' });
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    await world.clock.advance(6_999);
    expect(world.merchantServer.checks).toBe(3);
    await world.clock.advance(1);
    await settle(10);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it.each<[string, () => Promise<CheckOutcome>]>([
    ['refuses every connection', () => Promise.resolve({ kind: 'unreachable' })],
    ['never answers', never],
  ])('ends the order after 25 s without asking a gate, where it %s', async (_what, onCheck) => {
    const world = new DeviceScenario();
    world.merchantServer.onCheck = onCheck;
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    await world.clock.advance(25 * SECOND_MS - 1);
    expect(await world.story()).toEqual(['OrderAccepted']);
    await world.clock.advance(1);
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantCheckFailed', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect([asked(world), world.process.cvvQueue.held]).toEqual([[0, 0], 0]);
  });

  it('is believed by its first valid answer: a later one is ignored', async () => {
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
    expect(asked(world)).toEqual([0, 0]);
  });
});

describe('a process that dies between acceptance and attempt (safety, section 2.2: P4 to P5)', () => {
  const dieInCheck = async (world: DeviceScenario, dying: OrderProcess): Promise<void> => {
    world.merchantServer.onCheck = never;
    const { cvvHolder } = (await world.contexts.open(world.stream)).order.plan;
    if (cvvHolder === undefined) void dying.workOrder.work(world.stream);
    else await handIn(world, dying);
    await settle(10);
    world.holderDies();
    world.merchantServer.onCheck = () => Promise.resolve({ kind: 'passed' });
  };

  it('leaves an order with a CVV to be interrupted, with nothing charged', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await dieInCheck(world, world.newProcess());
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect(asked(world)).toEqual([0, 0]);
  });

  it('leaves an order without a CVV to be checked again and sent to the gate once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    await dieInCheck(world, world.newProcess());
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
    expect([world.merchantServer.checks, asked(world)]).toEqual([2, [1, 0]]);
  });

  it('leaves an order that was checked but not claimed to be sent without another check', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    world.vault.state = 'away';
    await expect(world.newProcess().workOrder.work(world.stream)).rejects.toThrow('away');
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked']);
    world.vault.state = 'open';
    await world.newProcess().workOrder.work(world.stream);
    expect([world.merchantServer.checks, asked(world)]).toEqual([1, [1, 0]]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it.each(['refused', 'not-stored-answer-lost', 'stored-answer-lost'] as const)(
    'with a CVV is tried again by the queue where the store fails to record the check (%s)',
    async (kind) => {
      const world = new DeviceScenario();
      await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
      world.store.stumble({ kind });
      await handIn(world, world.process);
      await world.clock.advance(SECOND_MS);
      await settle(10);
      expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', ...CHARGED]);
      expect(asked(world)).toEqual([1, 0]);
    },
  );
});

describe('between the gate’s approval and the order’s', () => {
  it('a process that dies in the notification is followed by another, which notifies again; the gate is not asked again', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = never;
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.newProcess());
    expect((await world.story()).at(-1)).toBe('AttemptApproved');
    world.merchantServer.onNotify = () => Promise.resolve('acknowledged');
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect((await world.story()).slice(-2)).toEqual(['CardsMapped', 'OrderApproved']);
    const [first, second] = world.merchantServer.notified;
    expect(second).toEqual(first);
    expect(asked(world)).toEqual([1, 0]);
  });

  it('a second worker waits for the conclusion under way, and the merchant server is notified once', async () => {
    const world = new DeviceScenario();
    let acknowledge: (answer: 'acknowledged') => void = () => undefined;
    world.merchantServer.onNotify = () => new Promise((resolve) => (acknowledge = resolve));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    const working = world.process.workOrder.work(world.stream);
    let isDrained = false;
    void world.process.inlineConclusion.drained().then(() => (isDrained = true));
    await settle(10);
    expect([world.merchantServer.notified.length, isDrained]).toEqual([1, false]);
    acknowledge('acknowledged');
    await expect(working).resolves.toBeUndefined();
    await settle(10);
    expect([world.merchantServer.notified.length, isDrained]).toEqual([1, true]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('two processes at once end the order once', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer();
    const workers = [world.newProcess(), world.newProcess()];
    for (let round = 0; round < 3; round++)
      await world.whileTimePasses(Promise.all(workers.map(({ workOrder }) => workOrder.work(world.stream))));
    const story = await world.story();
    expect(story.filter((type) => type === 'OrderApproved' || type === 'CardsMapped')).toEqual(['CardsMapped', 'OrderApproved']);
  });

  it('a merchant server that does not acknowledge holds nothing up, and is notified again later', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = () => Promise.resolve('not-acknowledged');
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    expect(await world.lastData()).toMatchObject({ callbacks: ['callback', 'notification'] });
  });

  it('a failure is reported, and left to the worker', async () => {
    const world = new DeviceScenario();
    world.merchantServer.onNotify = () => Promise.reject(new Error('a bug'));
    await world.acceptTransfer(sampleDeviceOrder({ plan: withCvv }));
    await handIn(world, world.process);
    expect(world.errors).toHaveLength(1);
    await world.process.inlineConclusion.drained();
    world.merchantServer.onNotify = () => Promise.resolve('acknowledged');
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('the worker also concludes an order whose approval an inquiry brought', async () => {
    const world = new DeviceScenario();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as Extract<ChargeAnswer, { kind: 'approved' }>);
    await world.acceptTransfer();
    await world.workOrder.work(world.stream);
    await world.workOrder.work(world.stream);
    await settle(10);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });
});

describe('the consumer’s choice among the gates’ fees', () => {
  const quoting = (world: DeviceScenario): void => {
    world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_A.commission });
    world.otherGate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_B.commission });
  };
  const offered = async (plan = choosingWithCvv): Promise<DeviceScenario> => {
    const world = new DeviceScenario();
    quoting(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan }));
    if (plan.cvvHolder === undefined) await world.workOrder.work(world.stream);
    else await handIn(world, world.process);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered']);
    return world;
  };
  const SERIAL = '00000000-0000-0000-0000-000000000002';

  it('pauses processing with the CVV held, and goes on at the chosen gate at once where it is made in this process', async () => {
    const world = await offered();
    expect([world.process.cvvQueue.held, asked(world)]).toEqual([1, [0, 0]]);
    await world.clock.advance(600 * SECOND_MS);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_B.gate, { serial: SERIAL });
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'FeeChosen', ...CHARGED]);
    expect([world.process.cvvQueue.held, asked(world), world.otherGate.transfers[0]?.cvv]).toEqual([0, [0, 1], CVV]);
  });

  it('raises an alarm where the gate withholds another commission than the chosen one, and none where it withholds that', async () => {
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

  it('is noticed within seconds by the process that holds the CVV where it is made in another', async () => {
    const world = await offered();
    await world.newProcess().chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    await settle(10);
    expect(asked(world)).toEqual([0, 0]);
    await world.clock.advance(3 * SECOND_MS);
    await settle(10);
    expect(asked(world)).toEqual([1, 0]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is recorded once of ten at once', async () => {
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

  it('is traced back to the request that made it', async () => {
    const world = await offered(choosing);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    const chosen = (await world.stored()).at(-1);
    expect(JSON.parse(chosen?.metadata ?? '{}')).toMatchObject({ correlation: SERIAL, actor: 'acme' });
  });

  it('is followed by a worker where there is no CVV', async () => {
    const world = await offered(choosing);
    await world.newProcess().chooseFee.choose(await world.contexts.open(world.stream), FEE_B.gate, { serial: SERIAL });
    await world.workOrder.work(world.stream);
    expect(asked(world)).toEqual([0, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('that is not made in time declines the order 110 with nothing charged, and the CVV is released', async () => {
    const world = await offered();
    await expect(world.workOrder.work(world.stream)).resolves.toBe(world.clock.now() + 60_000);
    await world.clock.advance(FEE_CHOICE_MS);
    expect(world.process.cvvQueue.held).toBe(0);
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    expect(asked(world)).toEqual([0, 0]);
    const late = await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    expect(late).toEqual({ kind: 'refused', reason: 'order-final' });
  });

  it('of an order whose CVV holder is gone ends interrupted at the next check, with nothing charged', async () => {
    const world = await offered();
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'OrderFailed']);
    expect(asked(world)).toEqual([0, 0]);
  });

  it('finds the CVV still held where the offers were stored and the answer to that was lost', async () => {
    const world = new DeviceScenario();
    quoting(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosingWithCvv }));
    const lost = { kind: 'stored-answer-lost' } as const;
    world.store.stumble(lost, lost, lost);
    await handIn(world, world.process);
    await world.clock.advance(SECOND_MS);
    expect([world.errors.length, world.process.cvvQueue.held]).toEqual([1, 1]);
    await world.process.chooseFee.choose(await world.contexts.open(world.stream), FEE_A.gate, { serial: SERIAL });
    await settle(10);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered', 'FeeChosen', ...CHARGED]);
  });

  it('fills a share of its own while it is awaited, and not that of the gates', async () => {
    const world = await offered();
    const waiting = await world.contexts.open(world.stream);
    const contexts = { open: () => Promise.resolve(waiting) } as unknown as OrderContexts;
    const submitting = { submit: () => Promise.resolve(waiting) } as unknown as SubmitAttempt;
    const cvvQueue = new CvvSubmitQueue(
      contexts,
      submitting,
      { overdueIn: () => 0 },
      world.clock,
      world.clock,
      world.clock,
      (_stream, error) => world.errors.push(error),
    );
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
  ])('does not offer a gate that %s', async (_what, fail) => {
    const world = new DeviceScenario();
    quoting(world);
    fail(world);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(5 * SECOND_MS);
    await working;
    expect(await world.lastData()).toMatchObject({ offers: [{ gate: FEE_B.gate, commission: { minor: '200' } }] });
  });

  it('ends the order with 122 and nothing charged where no gate names a commission', async () => {
    const world = new DeviceScenario();
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 122 });
    expect(asked(world)).toEqual([0, 0]);
  });
});

describe('the random sum (protocol decisions, section 7)', () => {
  const verified = async (plan = devicePlan()): Promise<DeviceScenario> => {
    const world = new DeviceScenario();
    world.gate.onVerify = ({ key }) => Promise.resolve({ ...approvedBy(key), randomSum: usd(111n) } as ChargeAnswer);
    const stream = await world.acceptVerification(devicePlan({ operation: 'account-verification' }));
    await world.workOrder.work(stream);
    await settle(10);
    expect((await world.storyOf(stream)).at(-1)).toBe('OrderApproved');
    await world.acceptTransfer(sampleDeviceOrder({ plan }));
    return world;
  };
  const reported = (minor: bigint) => (): Promise<CheckOutcome> => Promise.resolve({ kind: 'passed', randomSum: usd(minor) });
  const checkedAs = async (world: DeviceScenario): Promise<unknown> =>
    (JSON.parse((await world.stored())[1]?.data ?? '{}') as { randomSum?: unknown }).randomSum;

  it.each([
    [111n, 'AUTHENTICATED'],
    [112n, 'NOT_AUTHENTICATED'],
  ] as const)('that the cardholder reports is compared with the sum that was withdrawn: %s', async (minor, result) => {
    const world = await verified();
    world.merchantServer.onCheck = reported(minor);
    await world.workOrder.work(world.stream);
    expect(await checkedAs(world)).toBe(result);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is not requested for a card from which nothing was withdrawn', async () => {
    const untold = await verified();
    await untold.workOrder.work(untold.stream);
    expect(await checkedAs(untold)).toBeUndefined();
    const unverified = new DeviceScenario();
    unverified.merchantServer.onCheck = reported(111n);
    await unverified.acceptTransfer();
    await unverified.workOrder.work(unverified.stream);
    expect(await checkedAs(unverified)).toBeUndefined();
  });

  it('that is wrong where it is required declines the order 111, and no gate is asked', async () => {
    const world = await verified(devicePlan({ device: { isRandomSumRequired: true } }));
    world.merchantServer.onCheck = reported(112n);
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 111 });
    expect(asked(world)).toEqual([0, 0]);
  });

  it('is nowhere in the log (safety, T36)', async () => {
    const world = await verified();
    for await (const item of world.store.subscribe('all', 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') expect(item.event.data).not.toContain('"111"');
    }
  });
});
