import type { ClientOrderId, GateAlias } from '@app/kernel';
import { HELD_PER_LANE_MAX, SUBMITS_PER_LANE_MAX } from '@app/orders';
import { sampleGate, settle } from '@app/testing';
import { CVV, HOLDER, LANE, OrderScenario, OTHER_LANE } from './order-scenario';

const SECOND_MS = 1_000;

describe('an order with a CVV (architecture, rule 5)', () => {
  it('is submitted once by the process that holds the CVV', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.gate.charges.map(({ cvv }) => cvv?.reveal())).toEqual(['123']);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.cvvQueue.held).toBe(0);
  });

  it('ends with 121 at once if the holder of the CVV is gone', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await expect(world.newProcess().workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
  });

  it('is left to its holder for 60 seconds, and then ended by any process', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    const dueAt = await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted']);
    expect((dueAt ?? 0) - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(60 * SECOND_MS);
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
  });

  it('is not charged by a holder that submits it after its end', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.gate.charges).toHaveLength(0);
  });
});

describe('the CVV submit queue', () => {
  const ordersAt = async (world: OrderScenario, alias: string, lane: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const plan = { cvvHolder: HOLDER, gates: [sampleGate({ alias: alias as GateAlias })] as const };
      const stream = await world.accept(plan, `${alias}-${number}` as ClientOrderId);
      world.cvvQueue.submitSoon({ lane, stream, cvv: CVV });
    }
  };

  it("delays no order because another order's gate is silent (architecture, rule 9)", async () => {
    const world = new OrderScenario();
    world.gate.onCharge = () => new Promise(() => undefined);
    await ordersAt(world, 'sim-a', LANE, SUBMITS_PER_LANE_MAX + 5);
    await ordersAt(world, 'sim-b', OTHER_LANE, 3);
    await settle(20);
    expect(world.gate.charges).toHaveLength(SUBMITS_PER_LANE_MAX);
    expect(world.otherGate.charges).toHaveLength(3);
    expect(world.cvvQueue.held).toBe(SUBMITS_PER_LANE_MAX + 5);
  });

  it('holds a limited number of CVVs per lane, and still accepts those of other lanes', async () => {
    const world = new OrderScenario();
    world.gate.onCharge = () => new Promise(() => undefined);
    const stream = await world.accept({ cvvHolder: HOLDER });
    for (let number = 1; number < HELD_PER_LANE_MAX; number++) world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(true);
    world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(false);
    expect(world.cvvQueue.hasRoomIn(OTHER_LANE)).toBe(true);
  });

  it('notifies all who wait for it to drain', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await expect(Promise.all([world.cvvQueue.drained(), world.cvvQueue.drained()])).resolves.toHaveLength(2);
    await expect(world.cvvQueue.drained()).resolves.toBeUndefined();
  });

  it('retries a submission that failed before its claim during outages of store and vault', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.store.isAway = true;
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(20 * SECOND_MS);
    world.store.isAway = false;
    world.vault.state = 'away';
    await world.clock.advance(20 * SECOND_MS);
    expect(world.gate.charges).toHaveLength(0);
    expect(world.cvvQueue.held).toBe(1);
    world.vault.state = 'open';
    await world.clock.advance(5 * SECOND_MS);
    expect(world.gate.charges.map(({ cvv }) => cvv?.reveal())).toEqual(['123']);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.cvvQueue.held).toBe(0);
    expect(world.errors.length).toBeGreaterThan(1);
  });

  it('asks the gate once if all responses to its claim are lost or the outcome cannot be recorded', async () => {
    const lost = { kind: 'stored-answer-lost' as const };
    for (const stumbles of [
      [lost, lost, lost],
      [{ kind: 'rival' as const, write: () => Promise.resolve() }, { kind: 'refused' as const }],
    ]) {
      const world = new OrderScenario();
      await world.accept({ cvvHolder: HOLDER });
      world.store.stumble(...stumbles);
      world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
      await world.clock.advance(60 * SECOND_MS);
      const begun = ['OrderAccepted', 'AttemptStarted'];
      expect(await world.story()).toEqual(stumbles.length === 3 ? [...begun, 'AttemptApproved', 'OrderApproved'] : begun);
      expect(world.gate.charges).toHaveLength(1);
      expect(world.cvvQueue.held).toBe(0);
    }
  });

  it('releases a CVV after 60 seconds, when any process may end its order', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.store.isAway = true;
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(54 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    await world.clock.advance(6 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(0);
    const tried = world.store.reads;
    world.store.isAway = false;
    await world.clock.advance(60 * SECOND_MS);
    expect(world.store.reads).toBe(tried);
    expect(world.gate.charges).toHaveLength(0);
  });

  it('releases the CVV of an unreadable order and reports the error', async () => {
    const world = new OrderScenario();
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.errors).toHaveLength(1);
    expect(world.cvvQueue.held).toBe(0);
  });
});
