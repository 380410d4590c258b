import { StoreUnavailable, type StreamName } from '@app/event-store';
import { paymentContext } from '@app/payment';
import { OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const TRIES = 20;

describe('an order with concurrent writers', () => {
  it("leaves the gate's answer to the next inquiry after repeated conflicts, and is charged once", async () => {
    const world = new OrderScenario();
    const stream = await world.accept();
    const append = world.store.append.bind(world.store);
    let refusals = 0;
    world.store.append = (to, expected, events) => {
      if (!events.some(({ type }) => type === 'AttemptApproved')) return append(to, expected, events);
      refusals++;
      return append(to, 'no_stream', events);
    };
    const working = world.workOrder.work(stream).catch((error: unknown) => error);
    await world.clock.advance(10_000);
    expect(await working).toMatchObject({ cause: new StoreUnavailable(`${stream}: another was faster ${TRIES} times`) });
    expect(refusals).toBe(TRIES);
    world.store.append = append;
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    const again = world.workOrder.work(stream);
    await world.clock.advance(100_000);
    await again;
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.gate.charges).toHaveLength(1);
  });
});

describe('order contexts', () => {
  it('open no stream of an unknown category or without an order', async () => {
    const { contexts } = new OrderScenario();
    await expect(async () => contexts.open('nobodys-1' as StreamName)).rejects.toThrow('nobodys-1: no context has this category');
    await expect(contexts.open('payment-1' as StreamName)).rejects.toThrow('payment-1: no order');
  });

  it('refuse to register a category twice', () => {
    const { contexts } = new OrderScenario();
    expect(() => contexts.register(paymentContext)).toThrow('category payment is registered twice');
  });

  it('throw for the trace of a follow-up that the order does not have', async () => {
    const world = new OrderScenario();
    const open = await world.contexts.open(await world.accept());
    expect(() => open.traceOf(1)).toThrow(`${world.stream}: no follow-up 1`);
  });
});
