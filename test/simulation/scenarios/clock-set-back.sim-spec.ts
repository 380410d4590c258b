import type { ClientOrderId } from '@app/kernel';
import { DueTimes, metadataOf, ReactorRunner } from '@app/event-store';
import { MemoryOpenWork } from '@app/event-store/testing';
import { orderWork } from '@app/orders';
import { paymentCodec } from '@app/payment';
import { HOLDER, OrderScenario, type OrderProcess } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

const startWorker = (world: OrderScenario, { workOrder }: Pick<OrderProcess, 'workOrder'>) => {
  const work = new MemoryOpenWork();
  const subscription = world.store.subscribe(['payment'], 'start');
  const runner: ReactorRunner = new ReactorRunner({
    work,
    clock: world.clock,
    scheduler: world.clock,
    run: ({ stream }) => workOrder.work(stream),
    onError: (error) => world.errors.push(error),
  });
  const begin = (): void => {
    runner.start();
    dueTimes.start();
  };
  const following = (async () => {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') begin();
      if (item.kind !== 'event') continue;
      work.apply(orderWork({ stream: item.event.stream, metadata: metadataOf(item.event), event: paymentCodec.decode(item.event) }));
      runner.wake();
    }
  })();
  const jumps: number[] = [];
  const dueTimes = new DueTimes({
    reactors: [{ work, runner }],
    clock: world.clock,
    monotonic: world.clock,
    scheduler: world.clock,
    onJump: (byMs) => jumps.push(byMs),
    onError: (error) => world.errors.push(error),
  });
  return {
    work,
    jumps,
    stop: async () => {
      dueTimes.stop();
      runner.stop();
      await subscription.cancel();
      await following;
    },
  };
};

describe.each([
  ['in the run', false],
  ['over a restart', true],
])('a clock set back by a day %s', (_, isRestarted) => {
  const setBack = async (world: OrderScenario, before: { stop: () => Promise<void> }) => {
    if (!isRestarted) {
      world.clock.jump(-DAY_MS);
      return before;
    }
    await before.stop();
    world.clock.jump(-DAY_MS);
    const after = startWorker(world, world.newProcess());
    await world.clock.advance(0);
    return after;
  };

  it('delays no outcome that the gate can report', async () => {
    const world = new OrderScenario();
    const worker = startWorker(world, world);
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    world.gate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    await world.accept();
    await world.clock.advance(600 * SECOND_MS);
    const now = await setBack(world, worker);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as never);
    await world.clock.advance(61 * SECOND_MS);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    await now.stop();
  });

  it('keeps inquiring about once a minute at a gate that does not decide', async () => {
    const world = new OrderScenario();
    const worker = startWorker(world, world);
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    world.gate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    await world.accept();
    await world.clock.advance(600 * SECOND_MS);
    const now = await setBack(world, worker);
    const before = world.gate.inquiries.length;
    await world.clock.advance(600 * SECOND_MS);
    expect(world.gate.inquiries.length - before).toBeGreaterThanOrEqual(9);
    expect(world.gate.inquiries.length - before).toBeLessThanOrEqual(12);
    await now.stop();
  });

  it('ends an order with a lost CVV, and declines one with an absent payer, after their time limits', async () => {
    const world = new OrderScenario();
    const worker = startWorker(world, world);
    world.gate.onCharge = () =>
      Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
    await world.accept();
    const cvvLost = await world.accept({ cvvHolder: HOLDER }, 'cvv-lost' as ClientOrderId);
    await world.clock.advance(30 * SECOND_MS);
    const now = await setBack(world, worker);
    await world.clock.advance(180 * SECOND_MS);
    const ends: string[] = [];
    for await (const { type } of world.store.read(cvvLost)) ends.push(type);
    expect(ends).toEqual(['OrderAccepted', 'OrderFailed']);
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    await world.clock.advance(900 * SECOND_MS);
    expect((await world.story()).slice(-2)).toEqual(['AttemptDeclined', 'OrderDeclined']);
    await now.stop();
  });
});

it('a clock that briefly jumps forward charges once and accepts no answer of the gate too early', async () => {
  const world = new OrderScenario(false);
  const worker = startWorker(world, world);
  let answer: (() => void) | undefined;
  world.gate.onCharge = ({ key }) => new Promise((resolve) => (answer = () => resolve(approvedBy(key))));
  await world.accept();
  await world.clock.advance(2 * SECOND_MS);
  for (const byMs of [DAY_MS, -DAY_MS, 3_600_000, -3_600_000]) {
    world.clock.jump(byMs);
    await world.clock.advance(6 * SECOND_MS);
  }
  expect(worker.jumps).toEqual([DAY_MS, -DAY_MS, 3_600_000, -3_600_000]);
  expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
  answer?.();
  await world.clock.advance(SECOND_MS);
  expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  expect(world.gate.charges).toHaveLength(1);
  await worker.stop();
});
