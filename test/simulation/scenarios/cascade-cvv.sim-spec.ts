import type { AttemptKey } from '@app/kernel';
import { settle } from '@app/testing';
import { CVV, GATES, HOLDER, LANE, OrderScenario } from './order-scenario';
import { declinedBy, declining, type ScriptedGate, timedOut } from './scripted-gate';

const SECOND_MS = 1_000;

describe('a cascade of an order with a CVV (architecture, rule 5)', () => {
  const withCvv = async (): Promise<OrderScenario> => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER, gates: GATES });
    return world;
  };
  const submit = (world: OrderScenario): void => world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
  const cvvsOf = ({ charges }: ScriptedGate) => charges.map(({ cvv }) => cvv?.reveal());

  it('sends the CVV to each gate that is asked, and releases it at the end', async () => {
    const world = await withCvv();
    world.gate.onCharge = declining(100);
    submit(world);
    await world.cvvQueue.drained();
    expect([cvvsOf(world.gate), cvvsOf(world.otherGate)]).toEqual([['123'], ['123']]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.cvvQueue.held).toBe(0);
  });

  it('keeps the CVV during an unknown outcome, and continues at once if this process records the outcome', async () => {
    const world = await withCvv();
    world.gate.onCharge = timedOut;
    submit(world);
    await settle(20);
    expect(world.cvvQueue.held).toBe(1);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100));
    await world.workOrder.work(world.stream);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('continues at its next check if another process recorded the outcome', async () => {
    const world = await withCvv();
    world.gate.onCharge = timedOut;
    submit(world);
    await settle(20);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100));
    await world.newProcess().workOrder.work(world.stream);
    expect(cvvsOf(world.otherGate)).toEqual([]);
    await world.clock.advance(SECOND_MS);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });

  it("checks five times, releases the CVV 60 seconds after the gate's last answer, and ends with the last decline", async () => {
    const world = await withCvv();
    world.gate.onCharge = timedOut;
    submit(world);
    await settle(20);
    const reads = world.store.reads;
    await world.clock.advance(59 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    await world.clock.advance(SECOND_MS);
    expect(world.cvvQueue.held).toBe(0);
    expect(world.store.reads - reads).toBe(5);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100));
    const { workOrder } = world.newProcess();
    const dueAt = (await workOrder.work(world.stream)) ?? 0;
    expect(dueAt - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(60 * SECOND_MS);
    await workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptDeclined', 'NextAttemptChosen', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 100 });
    expect(world.charged).toEqual([1, 0]);
  });

  it('restarts the 60 seconds on each answer of the gate', async () => {
    const world = await withCvv();
    const page = { action: 'https://acs.example/', fields: {} };
    world.gate.onCharge = () => Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page });
    submit(world);
    await world.clock.advance(50 * SECOND_MS);
    const key = world.gate.charges[0]?.key ?? ('' as AttemptKey);
    world.gate.onComplete = timedOut;
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(50 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    world.gate.onInquiry = () => Promise.resolve(declinedBy(key, 100));
    await world.workOrder.work(world.stream);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });

  it('keeps no CVV for an order of one gate, because no attempt can follow', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.gate.onCharge = timedOut;
    submit(world);
    await world.cvvQueue.drained();
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
  });

  it('ends with the last decline at once if the process that holds the CVV is known to be gone', async () => {
    const world = await withCvv();
    world.gate.onCharge = declining(100);
    // The process with the CVV dies between its two attempts.
    world.otherGate.onCharge = () => new Promise(() => undefined);
    const append = world.store.append.bind(world.store);
    world.store.append = async (stream, expected, events) => {
      if (events[0].type === 'AttemptStarted' && world.gate.charges.length === 1) return new Promise(() => undefined);
      return append(stream, expected, events);
    };
    submit(world);
    await settle(20);
    world.store.append = append;
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['AttemptDeclined', 'NextAttemptChosen', 'OrderDeclined']);
    expect(world.charged).toEqual([1, 0]);
  });

  it('waits in the lane of its next gate, so that a silent gate delays no other', async () => {
    const world = await withCvv();
    world.gate.onCharge = declining(100);
    world.otherGate.onCharge = () => new Promise(() => undefined);
    submit(world);
    await settle(20);
    expect(world.charged).toEqual([1, 1]);
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(true);
    expect(world.cvvQueue.held).toBe(1);
  });

  it('checks again after a store outage', async () => {
    const world = await withCvv();
    world.gate.onCharge = timedOut;
    submit(world);
    await settle(20);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100));
    await world.newProcess().workOrder.work(world.stream);
    world.store.isAway = true;
    await world.clock.advance(2 * SECOND_MS);
    world.store.isAway = false;
    await world.clock.advance(SECOND_MS);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });
});
