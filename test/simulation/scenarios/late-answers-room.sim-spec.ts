import type { ClientOrderId } from '@app/kernel';
import { OVERDUE_PER_LANE_MAX, ROOM_CHECK_MS } from '@app/orders';
import { workUntil } from './late-calls';
import { CVV, HOLDER, LANE, OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('the call limit of a gate', () => {
  it('counts calls that exceeded their time limit until they end', async () => {
    const world = new OrderScenario();
    const ends: (() => void)[] = [];
    world.gate.onCharge = ({ key }) => new Promise((resolve) => ends.push(() => resolve(approvedBy(key))));
    const streams = [];
    for (let index = 0; index <= OVERDUE_PER_LANE_MAX; index++) streams.push(await world.accept({}, `order-${index}` as ClientOrderId));
    const [last, ...others] = streams;
    if (last === undefined) throw new Error('no order');
    const working = others.map((stream) => world.workOrder.work(stream));
    await world.clock.advance(30 * SECOND_MS);
    await Promise.all(working);
    const now = world.clock.now();
    expect(await world.workOrder.work(last)).toBe(now + ROOM_CHECK_MS);
    expect(world.gate.charges).toHaveLength(OVERDUE_PER_LANE_MAX);
    ends[0]?.();
    await world.clock.advance(SECOND_MS);
    void world.workOrder.work(last);
    await world.clock.advance(0);
    expect(world.gate.charges).toHaveLength(OVERDUE_PER_LANE_MAX + 1);
  });

  it('makes an order with a CVV wait until one of 128 calls ends', async () => {
    const world = new OrderScenario();
    const ends: (() => void)[] = [];
    world.gate.onCharge = ({ key }) => new Promise((resolve) => ends.push(() => resolve(approvedBy(key))));
    for (let index = 0; index < 128; index++) {
      const stream = await world.accept({ cvvHolder: HOLDER }, `order-${index}` as ClientOrderId);
      world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    }
    await world.clock.advance(31 * SECOND_MS);
    const stream = await world.accept({ cvvHolder: HOLDER }, 'one-more' as ClientOrderId);
    world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    await world.clock.advance(SECOND_MS);
    expect(world.gate.charges).toHaveLength(128);
    ends[0]?.();
    await world.clock.advance(SECOND_MS);
    expect(world.gate.charges).toHaveLength(129);
  });

  it('prevents a second inquiry while the first is open', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    let answer: (() => void) | undefined;
    world.gate.onInquiry = (key) => new Promise((resolve) => (answer = () => resolve(approvedBy(key))));
    await world.workOrder.work(world.stream);
    await workUntil(world, HOUR_MS, () => {
      const looking = world.workOrder.work(world.stream);
      return Promise.race([looking, world.clock.advance(31 * SECOND_MS).then(() => looking)]);
    });
    expect(world.gate.inquiries).toHaveLength(1);
    answer?.();
    await world.clock.advance(SECOND_MS);
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    expect(world.late).toEqual(['inquire: approved']);
  });
});
