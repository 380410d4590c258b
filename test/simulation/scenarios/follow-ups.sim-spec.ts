import { sleep, type OrderId } from '@app/kernel';
import { metadataOf, OutcomeUnknown } from '@app/event-store';
import { AcquirerLedger } from './acquirer-ledger';
import { requestOf, streamOf } from './follow-up-scenario';

const ledger = AcquirerLedger.ofTheseTests();

describe('a follow-up', () => {
  it("is recorded before the gate is asked, and ends with the gate's answer [W483]", async () => {
    const world = ledger.newScenario();
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    const accepted = await process.handler.handle(requestOf(order, 'capture', 1, 600n));
    const { orderId, endpointId } = order;
    expect(accepted).toEqual({ reason: 'accepted', orderId, endpointId, number: 1, amount: { minor: 600n, currency: 'USD' } });
    expect(await world.openWork(order)).toEqual([1]);
    await world.workOut(order, process);
    expect(await world.typesAfterEnd(order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpApproved']);
    expect(ledger.read.followUps(order.orderId)).toMatchObject([
      { operation: 'capture', amount: { minor: 600n }, state: { status: 'approved' } },
    ]);
    expect(await world.openWork(order)).toEqual([]);
    expect((await world.events(order)).at(-1)?.data).toMatchObject({ callbacks: ['notify'] });
  });

  it("has its request's trace in each of its events", async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 0xa, 100n));
    await process.handler.handle(requestOf(order, 'return', 0xb, 100n));
    await world.workOut(order, process);
    const stored = (await world.stored(order)).slice(4);
    const ofNumber = (number: number) => stored.filter(({ data }) => (JSON.parse(data) as { number: number }).number === number);
    for (const [number, end] of [
      [1, 'a'],
      [2, 'b'],
    ] as const) {
      const own = ofNumber(number);
      expect(own.map((event) => metadataOf(event).correlation.slice(-1))).toEqual([end, end, end]);
      expect(own.slice(1).map((event) => metadataOf(event).causation)).toEqual(own.slice(0, -1).map(({ id }) => id));
    }
  });

  it('is not repeated if requested again under its serial, in any process', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const request = requestOf(order, 'return', 7, 300n);
    const processes = [world.newProcess(), world.newProcess(), world.newProcess()];
    const answers = await Promise.all(processes.flatMap(({ handler }) => [handler.handle(request), handler.handle(request)]));
    const other = await world.newProcess().handler.handle(requestOf(order, 'return', 8, 300n));
    const again = await world.newProcess().handler.handle(request);
    for (const answer of [...answers, again]) expect(answer).toMatchObject({ reason: 'accepted', number: 1 });
    expect(other).toMatchObject({ reason: 'accepted', number: 2 });
    expect(await world.typesAfterEnd(order)).toEqual(['FollowUpAccepted', 'FollowUpAccepted']);
    await world.workOut(order, world.newProcess());
    expect(await world.newProcess().handler.handle(request)).toMatchObject({ reason: 'accepted', number: 1 });
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'return', 'return']);
  });

  it('is refused for an order of another merchant or another id [W271]', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const { handler } = world.newProcess();
    const request = requestOf(order, 'return', 1);
    const other = await world.approve('sale', 1_000n);
    for (const wrong of [
      { merchant: 'umbrella' as never },
      { orderId: other.orderId },
      { clientOrderId: other.clientOrderId },
      { orderId: 'r' + order.orderId.slice(1) },
    ]) {
      expect(await handler.handle({ ...request, ...(wrong as object) })).toEqual({ reason: 'order-unknown' });
    }
    expect(await handler.handle({ ...request, orderId: `t${order.orderId.slice(1)}` as OrderId })).toEqual({ reason: 'order-unknown' });
    expect(await world.typesAfterEnd(order)).toEqual([]);
  });

  it('is refused for an order in progress without asking a gate', async () => {
    const world = ledger.newScenario();
    const order = await world.accept();
    for (const kind of ['capture', 'return', 'void'] as const) {
      expect(await world.newProcess().handler.handle(requestOf(order, kind, 1))).toEqual({ reason: 'order-not-final' });
    }
    expect(await world.events(order)).toHaveLength(1);
  });

  it.each([
    ['capture', 'preauth'],
    ['return', 'preauth'],
    ['return', 'sale'],
    ['void', 'sale'],
  ] as const)('%s of a %s is refused without a record if its gate is not configured, and accepted otherwise [W244]', async (...asked) => {
    const [kind, operation] = asked;
    const world = ledger.newScenario();
    const order = await world.approve(operation, 1_000n);
    const request = requestOf(order, kind, 1);
    const gateless = world.gatelessProcess();
    expect(await gateless.handler.handle(request)).toEqual({ reason: 'gate-not-configured' });
    expect(await gateless.handler.handle(request)).toEqual({ reason: 'gate-not-configured' });
    expect(await world.typesAfterEnd(order)).toEqual([]);
    expect(ledger.requestsOf(order.orderId)).toHaveLength(1);
    expect(await world.newProcess().handler.handle(request)).toMatchObject({ reason: 'accepted', number: 1 });
  });

  it("is refused as impossible or too early, whether the order's gate is configured or not", async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const underWay = await world.accept();
    for (const { handler } of [world.newProcess(), world.gatelessProcess()]) {
      expect(await handler.handle(requestOf(order, 'capture', 1))).toEqual({ reason: 'operation-not-possible' });
      expect(await handler.handle(requestOf(underWay, 'return', 1))).toEqual({ reason: 'order-not-final' });
    }
  });

  it.each([
    ['capture', 'preauth'],
    ['return', 'sale'],
  ] as const)('requested ten times at three processes never exceeds the available amount: %s of a %s [W478]', async (kind, operation) => {
    const world = ledger.newScenario();
    const order = await world.approve(operation, 1_000n);
    const processes = [world.newProcess(), world.newProcess(), world.newProcess()];
    const asking = Array.from({ length: 10 }, (_, index) => {
      const { handler } = processes[index % processes.length] ?? world.newProcess();
      return handler.handle(requestOf(order, kind, index + 1, 300n));
    });
    const answers = await world.carry(Promise.all(asking));
    const accepted = answers.filter((answer) => answer.reason === 'accepted').length;
    expect(accepted).toBe(kind === 'capture' ? 1 : 3);
    const refused = new Set(answers.map((answer) => answer.reason));
    expect(refused).toEqual(new Set(['accepted', kind === 'capture' ? 'operation-not-possible' : 'amount-out-of-range']));
    await world.workOut(order, world.newProcess());
    const moved = ledger.read.followUps(order.orderId);
    expect(moved).toHaveLength(accepted);
    expect(ledger.violationsOf(order.orderId)).toEqual([]);
  });

  it('is sent at the first try even if another is accepted before its claim', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'return', 1, 300n));
    const overtaken = world.overtakenProcess(() => world.newProcess().handler.handle(requestOf(order, 'return', 2, 200n)));
    expect(await world.workOne(order, overtaken, 1)).toBeUndefined();
    expect(await world.openWork(order)).toEqual([2]);
    expect(ledger.read.followUps(order.orderId)).toMatchObject([{ amount: { minor: 300n }, state: { status: 'approved' } }]);
  });

  it('is sent only by the process that claims it first', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'return', 1, 300n));
    const overtaken = world.overtakenProcess(() => world.newProcess().worker.work(streamOf(order), 1));
    expect(await world.workOne(order, overtaken, 1)).toBeUndefined();
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'return']);
    expect(ledger.violationsOf(order.orderId)).toEqual([]);
  });

  it('is sent by the process that claims it even if another process recorded an unknown outcome', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'return', 1, 300n));
    const append = world.store.append.bind(world.store);
    let isAway = true;
    world.store.append = async (stream, expected, events) => {
      const result = await append(stream, expected, events);
      if (!isAway || events[0].type !== 'FollowUpStarted') return result;
      await sleep(world.clock, 3_000);
      throw new OutcomeUnknown('lost');
    };
    const claiming = world.newProcess().worker.work(streamOf(order), 1);
    await world.clock.advance(1_000);
    world.faults.strike('inquire', { kind: 'request-lost' });
    await world.workOne(order, world.newProcess(), 1);
    await world.clock.advance(10_000);
    isAway = false;
    await world.carry(claiming);
    const story = await world.typesAfterEnd(order);
    expect(story.slice(0, 4)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpUnknown', 'FollowUpStarted']);
    expect(story.at(-1)).toBe('FollowUpApproved');
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'return']);
  });

  it('is sent once for any number of concurrent workers', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'void', 1));
    const processes = Array.from({ length: 5 }, () => world.newProcess());
    await world.carry(Promise.all(processes.map(({ worker }) => worker.work(streamOf(order), 1))));
    await world.workOut(order, world.newProcess());
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'void']);
    expect(ledger.read.followUps(order.orderId)).toMatchObject([{ operation: 'void', state: { status: 'approved' } }]);
    expect(await world.newProcess().handler.handle(requestOf(order, 'return', 2, 1n))).toEqual({ reason: 'operation-not-possible' });
  });
});
