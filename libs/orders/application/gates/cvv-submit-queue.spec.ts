import { Secret } from '@app/kernel';
import { StoreUnavailable, type StreamName } from '@app/event-store';
import {
  attemptEvents,
  BOOT_ID,
  deviceEvents,
  deviceOrderUnder,
  devicePlan,
  eventually,
  FEE_CHOICE_MS,
  sampleDeviceOrder,
  VirtualClock,
} from '@app/testing';
import type { DeviceOrderEvent } from '../../domain';
import { CvvSubmitQueue } from './cvv-submit-queue';
import type { OpenOrder } from '../order-context';
import { workLane } from './in-flight-calls';

const STREAM = 'transfer-x' as StreamName;
const ORDER = sampleDeviceOrder();
const LANE = workLane(ORDER.merchant, ORDER.plan.gates[0].alias);
const { checked, feesOffered, feeChosen } = deviceEvents;

const CHOOSING = devicePlan({ cvvHolder: BOOT_ID, device: { feeChoiceMs: FEE_CHOICE_MS } });
const CASCADE = devicePlan({ cvvHolder: BOOT_ID });

const orderAfter = (plan: typeof CHOOSING, ...events: readonly DeviceOrderEvent[]): OpenOrder => {
  const { initial, evolve } = deviceOrderUnder(plan);
  const processing = events.reduce((state, event) => evolve(state, event), initial);
  return { stream: STREAM, order: { ...ORDER, plan }, processing } as unknown as OpenOrder;
};

const OFFERED = orderAfter(CHOOSING, checked(), feesOffered());
const CHOSEN = orderAfter(CHOOSING, checked(), feesOffered(), feeChosen());
const AT_THE_PAGE = orderAfter(CASCADE, checked(), attemptEvents.started(), attemptEvents.challenged());
const UNKNOWN = orderAfter(CASCADE, checked(), attemptEvents.started(), attemptEvents.unknown());

const setUp = (...outcomes: readonly (OpenOrder | Promise<OpenOrder>)[]) => {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const world = { stands: orderAfter(CHOOSING), submits: 0, isStoreAway: false };
  const submit = async (): Promise<OpenOrder> => {
    const outcome = await outcomes[world.submits++];
    if (outcome === undefined) throw new Error('submitted too often');
    return (world.stands = outcome);
  };
  const open = () => (world.isStoreAway ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(world.stands));
  const queue = new CvvSubmitQueue({
    contexts: { open },
    submitting: { submit },
    overdue: { overdueIn: () => 0 },
    clock,
    monotonic: clock,
    scheduler: clock,
    onError: (_, error) => errors.push(error),
  });
  queue.submitSoon({ lane: LANE, stream: STREAM, cvv: new Secret('123') });
  return { queue, clock, world, errors };
};

const drainOf = (queue: CvvSubmitQueue): { isOver: boolean } => {
  const drain = { isOver: false };
  queue.stopWaitingForPeople();
  void queue.drained().then(() => (drain.isOver = true));
  return drain;
};

describe('CvvSubmitQueue.stopWaitingForPeople (architecture, rule 5; safety, F39)', () => {
  it.each([
    ['a consumer chooses among the fees', OFFERED],
    ['the payer is at the authentication page, and another gate may follow', AT_THE_PAGE],
  ])('releases the CVV immediately and submits nothing afterwards while %s', async (_what, waiting) => {
    const { queue, clock, world } = setUp(waiting);
    await eventually(() => clock.pending === 1);
    expect(queue.held).toBe(1);
    queue.stopWaitingForPeople();
    await queue.drained();
    expect([queue.held, clock.pending]).toStrictEqual([0, 0]);
    queue.orderMoved(CHOSEN);
    await clock.advance(FEE_CHOICE_MS);
    expect(world.submits).toBe(1);
  });

  it('releases the CVV of an order that starts to wait for a person during the stop', async () => {
    let answer: (order: OpenOrder) => void = () => undefined;
    const { queue, clock, world } = setUp(new Promise((resolve) => (answer = resolve)));
    await eventually(() => world.submits === 1);
    const drain = drainOf(queue);
    await clock.advance(5_000);
    expect([drain.isOver, queue.held]).toStrictEqual([false, 1]);
    answer(OFFERED);
    await eventually(() => drain.isOver);
    expect([queue.held, clock.pending]).toStrictEqual([0, 0]);
  });

  it('waits for an order whose gate may still decline', async () => {
    const { queue, clock } = setUp(UNKNOWN);
    await eventually(() => clock.pending === 1);
    const drain = drainOf(queue);
    await clock.advance(500);
    expect([drain.isOver, queue.held]).toStrictEqual([false, 1]);
    queue.orderMoved(AT_THE_PAGE);
    await eventually(() => drain.isOver);
    expect(queue.held).toBe(0);
  });
});

describe('a consumer’s choice among the fees', () => {
  it('is submitted immediately in the same process, and at the next check in another process', async () => {
    const here = setUp(OFFERED, UNKNOWN);
    await eventually(() => here.clock.pending === 1);
    here.queue.orderMoved(CHOSEN);
    await eventually(() => here.world.submits === 2);
    const elsewhere = setUp(OFFERED, UNKNOWN);
    await eventually(() => elsewhere.clock.pending === 1);
    elsewhere.world.stands = CHOSEN;
    await elsewhere.clock.advance(3_000);
    await eventually(() => elsewhere.world.submits === 2);
  });

  it('is awaited while the store is unavailable, until the time to choose has passed', async () => {
    const { queue, clock, world, errors } = setUp(OFFERED, UNKNOWN);
    await eventually(() => clock.pending === 1);
    world.isStoreAway = true;
    for (let look = 0; look < 100; look++) await clock.advance(3_000);
    expect(queue.held).toBe(1);
    expect(errors.length).toBeGreaterThan(50);
    await clock.advance(FEE_CHOICE_MS);
    expect([queue.held, world.submits]).toStrictEqual([0, 1]);
  });
});
