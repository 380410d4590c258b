import type { WorkItem } from '@app/event-store';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import type { AttemptKey, ClientOrderId, GateAlias } from '@app/kernel';
import { OVERDUE_PER_LANE_MAX } from '@app/orders';
import { sampleGate } from '@app/testing';
import { LaneWorker } from './lane-worker';
import { LANE, OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const WAITING = 1_000;
const OTHERS = 20;
const MINUTE_MS = 60_000;

describe('a silent gate with a large backlog', () => {
  it('gets no calls beyond its limit, delays no other gate, and works through its orders by age afterwards', async () => {
    const world = new OrderScenario();
    const silent = new Map<AttemptKey, (answer: ChargeAnswer) => void>();
    let isSilent = true;
    world.gate.onCharge = ({ key }) =>
      isSilent ? new Promise((resolve) => void silent.set(key, resolve)) : Promise.resolve(approvedBy(key));
    const streams: string[] = [];
    for (let number = 0; number < WAITING; number++) {
      streams.push(await world.accept({}, `order-${number}` as ClientOrderId));
      await world.clock.advance(1);
    }
    const run: WorkItem[] = [];
    const worker = new LaneWorker(world, world.newProcess(), (item) => run.push(item));
    try {
      await world.clock.advance(10 * MINUTE_MS);
      const worked = run.filter(({ lane }) => lane === LANE);
      // Only items running when the lane was full are tried once more.
      expect(worked.length).toBeLessThanOrEqual(2 * OVERDUE_PER_LANE_MAX);
      expect(silent.size).toBe(OVERDUE_PER_LANE_MAX);

      const plan = { gates: [sampleGate({ alias: 'sim-b' as GateAlias })] as const };
      for (let number = 0; number < OTHERS; number++) await world.accept(plan, `other-${number}` as ClientOrderId);
      await world.clock.advance(1_000);
      expect(world.otherGate.charges).toHaveLength(OTHERS);

      isSilent = false;
      const before = world.gate.charges.length;
      for (const [key, answer] of silent) answer(approvedBy(key));
      await world.clock.advanceUntil(() => worker.work.size === 0, 10 * MINUTE_MS);
      expect(world.gate.charges).toHaveLength(WAITING);
      const order = world.gate.charges.slice(before).map(({ orderId }) => orderId);
      expect(new Set(order).size).toBe(WAITING - OVERDUE_PER_LANE_MAX);
      const placeOf = new Map(streams.map((stream, place) => [stream, place]));
      const places = run.filter(({ lane }) => lane === LANE).map(({ stream }) => placeOf.get(stream) ?? -1);
      // In order of arrival, except for items that run concurrently.
      const behind = places.slice(worked.length).map((place, index, all) => Math.max(...all.slice(0, index + 1)) - place);
      expect(Math.max(...behind)).toBeLessThanOrEqual(OVERDUE_PER_LANE_MAX);
      expect(worker.errors).toStrictEqual([]);
    } finally {
      await worker.stop();
    }
  }, 120_000);
});
