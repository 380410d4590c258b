import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant, KillPoint, OrderId } from '@app/kernel';
import { metadataOf } from '@app/event-store';
import { openSimulatorLedger, readLedger, type LedgerReader, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { AcceptedOrder } from '@app/order-processing/domain';
import { eventually } from '@app/testing';
import fc from 'fast-check';
import { followUpFaults, overdraftFaults } from '../../support/crash/findings/follow-up-faults';
import { FollowUpScenario, requestOf, streamOf } from './follow-up-scenario';

const folder = mkdtempSync(join(tmpdir(), 'follow-ups-'));
let ledger: SimulatorLedger;
let acquirerLedger: LedgerReader;
beforeAll(async () => {
  const path = join(folder, 'simulator.sqlite');
  ledger = await openSimulatorLedger(path);
  acquirerLedger = readLedger(path);
});
afterAll(async () => {
  acquirerLedger.close();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

let seeds = 0;
const newWorld = (settings: ConstructorParameters<typeof FollowUpScenario>[2] = {}) => new FollowUpScenario(ledger, ++seeds, settings);
const typesAfterEnd = async (world: FollowUpScenario, order: AcceptedOrder) => (await world.events(order)).slice(4).map(({ type }) => type);
const violationsOf = (orderId: OrderId) => acquirerLedger.violations().filter((request) => request.orderId === orderId);
const requestsOf = (orderId: OrderId) =>
  acquirerLedger
    .requests()
    .filter((request) => request.orderId === orderId)
    .map(({ kind }) => kind);

describe('a follow-up', () => {
  it('is on record before the gate is asked, and ends with the gate’s answer', async () => {
    const world = newWorld();
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    const accepted = await process.handler.handle(requestOf(order, 'capture', 1, 600n));
    expect(accepted).toEqual({ reason: 'accepted', orderId: order.orderId, endpointId: order.endpointId, number: 1 });
    expect(await world.openWork(order)).toEqual([1]);
    await world.workOut(order, process);
    expect(await typesAfterEnd(world, order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpApproved']);
    expect(acquirerLedger.followUps(order.orderId)).toMatchObject([
      { operation: 'capture', amount: { minor: 600n }, state: { status: 'approved' } },
    ]);
    expect(await world.openWork(order)).toEqual([]);
    expect((await world.events(order)).at(-1)?.data).toMatchObject({ callbacks: ['notify'] });
  });

  it('is traced back to the request that asked for it in each of its events', async () => {
    const world = newWorld();
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

  it('is the same one when requested again under its serial, in any process and at the same time', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const request = requestOf(order, 'return', 7, 300n);
    const processes = [world.newProcess(), world.newProcess(), world.newProcess()];
    const answers = await Promise.all(processes.flatMap(({ handler }) => [handler.handle(request), handler.handle(request)]));
    const other = await world.newProcess().handler.handle(requestOf(order, 'return', 8, 300n));
    const again = await world.newProcess().handler.handle(request);
    for (const answer of [...answers, again]) expect(answer).toMatchObject({ reason: 'accepted', number: 1 });
    expect(other).toMatchObject({ reason: 'accepted', number: 2 });
    expect(await typesAfterEnd(world, order)).toEqual(['FollowUpAccepted', 'FollowUpAccepted']);
    await world.workOut(order, world.newProcess());
    expect(await world.newProcess().handler.handle(request)).toMatchObject({ reason: 'accepted', number: 1 });
    expect(requestsOf(order.orderId)).toEqual(['charge', 'return', 'return']);
  });

  it('is refused for an order that the merchant does not have: another merchant’s, or another id', async () => {
    const world = newWorld();
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
    expect(await typesAfterEnd(world, order)).toEqual([]);
  });

  it('is refused for an order that is under way, and no gate is asked', async () => {
    const world = newWorld();
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
  ] as const)(
    '%s of a %s whose gate left the configuration is refused and not recorded; with the gate it is accepted',
    async (...asked) => {
      const [kind, operation] = asked;
      const world = newWorld();
      const order = await world.approve(operation, 1_000n);
      const request = requestOf(order, kind, 1);
      const gateless = world.gatelessProcess();
      expect(await gateless.handler.handle(request)).toEqual({ reason: 'gate-not-configured' });
      expect(await gateless.handler.handle(request)).toEqual({ reason: 'gate-not-configured' });
      expect(await typesAfterEnd(world, order)).toEqual([]);
      expect(requestsOf(order.orderId)).toHaveLength(1);
      expect(await world.newProcess().handler.handle(request)).toMatchObject({ reason: 'accepted', number: 1 });
    },
  );

  it('that no gate could do for the order is refused as such, whether its gate is configured or not', async () => {
    const world = newWorld();
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
  ] as const)('ten times at once on three processes never exceeds what there is: %s of a %s', async (kind, operation) => {
    const world = newWorld();
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
    const moved = acquirerLedger.followUps(order.orderId);
    expect(moved).toHaveLength(accepted);
    expect(violationsOf(order.orderId)).toEqual([]);
  });

  it('is sent at the first try, though another of its order is accepted before its claim', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'return', 1, 300n));
    const overtaken = world.overtakenProcess(() => world.newProcess().handler.handle(requestOf(order, 'return', 2, 200n)));
    expect(await world.workOne(order, overtaken, 1)).toBeUndefined();
    expect(await world.openWork(order)).toEqual([2]);
    expect(acquirerLedger.followUps(order.orderId)).toMatchObject([{ amount: { minor: 300n }, state: { status: 'approved' } }]);
  });

  it('is left to the process that claims it first', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'return', 1, 300n));
    const overtaken = world.overtakenProcess(() => world.newProcess().worker.work(streamOf(order), 1));
    expect(await world.workOne(order, overtaken, 1)).toBeUndefined();
    expect(requestsOf(order.orderId)).toEqual(['charge', 'return']);
    expect(violationsOf(order.orderId)).toEqual([]);
  });

  it('is sent once, however many processes work on it', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    await world.newProcess().handler.handle(requestOf(order, 'void', 1));
    const processes = Array.from({ length: 5 }, () => world.newProcess());
    await world.carry(Promise.all(processes.map(({ worker }) => worker.work(streamOf(order), 1))));
    await world.workOut(order, world.newProcess());
    expect(requestsOf(order.orderId)).toEqual(['charge', 'void']);
    expect(acquirerLedger.followUps(order.orderId)).toMatchObject([{ operation: 'void', state: { status: 'approved' } }]);
    expect(await world.newProcess().handler.handle(requestOf(order, 'return', 2, 1n))).toEqual({ reason: 'operation-not-possible' });
  });
});

describe('a follow-up whose outcome the gate leaves open', () => {
  it.each([
    [317n, 'FollowUpApproved'],
    [318n, 'FollowUpDeclined'],
  ] as const)('is asked about and never sent again: %s minor units', async (minor, end) => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1, minor));
    await world.workOne(order, process, 1);
    expect(await typesAfterEnd(world, order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpUnknown']);
    // The sum is held while the outcome is unknown.
    expect(await process.handler.handle(requestOf(order, 'return', 2, 1_001n - minor))).toEqual({ reason: 'amount-out-of-range' });
    await world.workOut(order, process);
    expect((await typesAfterEnd(world, order)).slice(3)).toEqual([end]);
    expect(requestsOf(order.orderId)).toEqual(['charge', 'return']);
    const all = await process.handler.handle(requestOf(order, 'return', 3, 1_000n));
    expect(all.reason).toBe(end === 'FollowUpDeclined' ? 'accepted' : 'amount-out-of-range');
  });

  it('is believed never to have reached the gate only when its flight is over: 121, and the sum is free', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1));
    world.faults.strike('return', { kind: 'request-lost' });
    await world.workOne(order, process, 1);
    const { answeredAt = 0 } = (await world.events(order)).at(-1)?.data as { answeredAt?: number };
    await world.clock.advance(answeredAt + 5_000 - 1 - world.clock.now());
    expect(await world.newProcess().worker.work(streamOf(order), 1)).toBeDefined();
    expect((await typesAfterEnd(world, order)).at(-1)).toBe('FollowUpUnknown');
    await world.clock.advance(1);
    await world.workOut(order, world.newProcess());
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpFailed', data: { code: 121 } });
    expect(await process.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'accepted', number: 2 });
  });

  it('is also the result of a throw of the adapter', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'void', 1));
    world.faults.strike('void', { kind: 'throws' });
    await world.workOne(order, process, 1);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpUnknown', data: { cause: 'adapter-failed' } });
    expect(process.errors).toHaveLength(1);
    await world.workOut(order, process);
    expect((await typesAfterEnd(world, order)).at(-1)).toBe('FollowUpApproved');
    expect(requestsOf(order.orderId)).toEqual(['charge', 'void']);
  });

  it('may be resolved by a person, who is recorded; a later answer of the gate changes nothing', async () => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1));
    const resolve = (number: number) =>
      process.resolving.resolve(streamOf(order), number, 'declined', 'told by telephone', { actor: 'olga' });
    expect(await resolve(1)).toEqual({ kind: 'refused', reason: 'nothing-to-resolve' });
    expect(await resolve(2)).toEqual({ kind: 'refused', reason: 'nothing-to-resolve' });
    world.faults.strike('return', { kind: 'answer-lost' });
    await world.workOne(order, process, 1);
    expect(await resolve(1)).toMatchObject({ kind: 'resolved', order: { processing: { followUps: [{ status: 'declined' }] } } });
    expect(await resolve(1)).toEqual({ kind: 'refused', reason: 'nothing-to-resolve' });
    const settled = (await world.stored(order)).at(-1);
    if (settled === undefined) throw new Error('nothing stored');
    expect(metadataOf(settled)).toMatchObject({ actor: 'olga', correlation: requestOf(order, 'return', 1).serial });
    expect(settled.data).not.toContain('telephone');
    expect(await world.openWork(order)).toEqual([]);
  });
});

it('a follow-up that is no longer covered after a gate revoked its decline of another is not sent (safety, I12)', async () => {
  const world = newWorld();
  const order = await world.approve('sale', 1_000n);
  const process = world.newProcess();
  await process.handler.handle(requestOf(order, 'return', 1));
  world.faults.strike('return', { kind: 'answer-lost' });
  await world.workOne(order, process, 1);
  let tell: (() => void) | undefined;
  const inquire = world.gate.inquire.bind(world.gate);
  world.gate.inquire = async (key) => {
    await new Promise<void>((resolve) => (tell = resolve));
    return inquire(key);
  };
  const late = process.worker.work(streamOf(order), 1);
  await eventually(() => tell !== undefined);
  await process.resolving.resolve(streamOf(order), 1, 'declined', 'told by telephone', { actor: 'olga' });
  expect(await process.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'accepted', number: 2 });
  tell?.();
  await world.carry(late);
  await world.workOut(order, process);
  expect((await typesAfterEnd(world, order)).slice(-3)).toEqual(['LateFollowUpConflict', 'FollowUpStarted', 'FollowUpFailed']);
  expect(requestsOf(order.orderId)).toEqual(['charge', 'return']);
});

describe('a gate without the capability', () => {
  it('ends the follow-up with 122, and it may be requested again', async () => {
    const world = newWorld();
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'capture', 1));
    const capture = world.gate.capture.bind(world.gate);
    world.gate.capture = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    await world.workOut(order, process);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpFailed', data: { code: 122 } });
    world.gate.capture = capture;
    await process.handler.handle(requestOf(order, 'capture', 2));
    await world.workOut(order, process);
    expect((await typesAfterEnd(world, order)).at(-1)).toBe('FollowUpApproved');
  });

  it('voids until midnight UTC only: a void that waited beyond it is not sent', async () => {
    const world = newWorld({ startAt: Date.UTC(2024, 4, 1, 23, 59, 50) as Instant });
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    expect(await process.handler.handle(requestOf(order, 'void', 1))).toMatchObject({ reason: 'accepted' });
    await world.clock.advance(10_000);
    await world.workOut(order, process);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpFailed', data: { code: 122 } });
    expect(await process.handler.handle(requestOf(order, 'void', 2))).toEqual({ reason: 'operation-not-possible' });
    expect(requestsOf(order.orderId)).toEqual(['charge']);
    await process.handler.handle(requestOf(order, 'return', 3));
    await world.workOut(order, process);
    expect((await typesAfterEnd(world, order)).at(-1)).toBe('FollowUpApproved');
  });

  it('captures after an open cancel has ended, and not beside it', async () => {
    const world = newWorld();
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1, 417n));
    await process.handler.handle(requestOf(order, 'capture', 2, 500n));
    await world.workOne(order, process, 2);
    expect(requestsOf(order.orderId)).toEqual(['authorise']);
    await world.workOut(order, process);
    expect(requestsOf(order.orderId)).toEqual(['authorise', 'return', 'capture']);
    const moved = acquirerLedger.followUps(order.orderId).map(({ operation, amount }) => [operation, amount.minor]);
    expect(new Map(moved as [string, bigint][])).toEqual(
      new Map([
        ['cancel', 417n],
        ['capture', 500n],
      ]),
    );
    expect(violationsOf(order.orderId)).toEqual([]);
  });
});

describe('a process that dies over a follow-up', () => {
  it.each<[KillPoint, string, number]>([
    ['P3', 'FollowUpApproved', 1],
    ['P5', 'FollowUpFailed', 0],
    ['P6', 'either', 1],
    ['P7', 'FollowUpApproved', 1],
    ['P8', 'FollowUpApproved', 1],
  ])('at %s leaves it to the next one, and it reaches the gate at most once', async (at, end, asked) => {
    const world = newWorld();
    const order = await world.approve('sale', 1_000n);
    const doomed = world.newProcess({ at, reach: 1 });
    const request = requestOf(order, 'return', 1);
    const answer = await doomed.handler.handle(request).catch((error: unknown) => String(error));
    if (at === 'P3') expect(answer).toContain('killed');
    else await world.workOne(order, doomed, 1);
    expect(doomed.isDead).toBe(true);
    const heir = world.newProcess();
    expect(await heir.handler.handle(request)).toMatchObject({ reason: 'accepted', number: 1 });
    await world.workOut(order, heir);
    const types = await typesAfterEnd(world, order);
    expect(types.filter((type) => type === 'FollowUpAccepted' || type === 'FollowUpStarted')).toHaveLength(2);
    if (end !== 'either') expect(types.at(-1)).toBe(end);
    expect(requestsOf(order.orderId).slice(1).length).toBeLessThanOrEqual(1);
    if (at !== 'P6') expect(requestsOf(order.orderId).slice(1)).toHaveLength(asked);
    const isMoved = acquirerLedger.followUps(order.orderId).some(({ state }) => state.status === 'approved');
    expect(isMoved).toBe(types.at(-1) === 'FollowUpApproved');
    expect(violationsOf(order.orderId)).toEqual([]);
  });
});

/** Ten requests, lost and broken calls, kills at every point; the result is compared with the acquirer's own ledger. */
it('the check finds a ledger that was overdrawn, whatever the log says (safety, I12)', async () => {
  const world = newWorld();
  const order = await world.approve('preauth', 1_000n);
  const process = world.newProcess();
  await process.handler.handle(requestOf(order, 'capture', 1, 600n));
  await world.workOut(order, process);
  const held = acquirerLedger.transactions(order.orderId);
  const accepted = acquirerLedger.followUps(order.orderId);
  expect(overdraftFaults(held, accepted)).toEqual([]);
  const [capture] = accepted;
  if (capture === undefined) throw new Error('nothing was captured');
  expect(overdraftFaults(held, [capture, capture])).toEqual(['of 1000 authorised, 1200 was captured or cancelled']);
  const reversal = { ...capture, operation: 'reversal' as const, amount: { ...capture.amount, minor: 601n } };
  expect(overdraftFaults(held, [capture, reversal])).toEqual(['of 600 taken, 601 was given back']);
});

describe('follow-ups under random faults', () => {
  const fault = fc.constantFrom('request-lost' as const, 'answer-lost' as const);
  const asked = fc.record({
    kind: fc.constantFrom('capture' as const, 'return' as const, 'return' as const, 'void' as const),
    minor: fc.option(fc.oneof(fc.bigInt({ min: 1n, max: 700n }), fc.constantFrom(217n, 318n, 116n, 600n)), { nil: undefined }),
    isWorkedAtOnce: fc.boolean(),
    fault: fc.option(fault, { nil: undefined, freq: 2 }),
    killAt: fc.option(fc.constantFrom<KillPoint>('P3', 'P5', 'P6', 'P7', 'P8'), { nil: undefined, freq: 3 }),
  });
  const story = fc.record({
    operation: fc.constantFrom('sale' as const, 'preauth' as const),
    isPartial: fc.integer({ min: 0, max: 3 }).map((die) => die > 0),
    asked: fc.array(asked, { minLength: 2, maxLength: 10 }),
  });

  it('keep log and ledger in agreement, send nothing twice, and never exceed what there was (safety, I1b and I12)', async () => {
    let movedCount = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ operation, isPartial, asked: requests }) => {
        const world = newWorld({ isPartial });
        const order = await world.approve(operation, 1_000n);
        for (const [index, { kind, minor, isWorkedAtOnce, fault: struck, killAt }] of requests.entries()) {
          const process = world.newProcess(killAt === undefined ? undefined : { at: killAt, reach: 1 });
          if (struck !== undefined) world.faults.strike(kind, { kind: struck });
          const request = requestOf(order, kind, index + 1, kind === 'void' ? undefined : minor);
          await process.handler.handle(request).catch(() => undefined);
          if (isWorkedAtOnce) await world.workOut(order, process);
        }
        await world.workOut(order, world.newProcess());
        const events = await world.events(order);
        expect(await world.openWork(order)).toEqual([]);
        expect(events.some(({ type }) => type === 'LateFollowUpConflict')).toBe(false);
        expect(followUpFaults(events, acquirerLedger.followUps(order.orderId))).toEqual([]);
        expect(overdraftFaults(acquirerLedger.transactions(order.orderId), acquirerLedger.followUps(order.orderId))).toEqual([]);
        expect(violationsOf(order.orderId)).toEqual([]);
        movedCount += events.filter(({ type }) => type === 'FollowUpApproved').length;
      }),
      { numRuns: 40 },
    );
    expect(movedCount).toBeGreaterThan(20);
  }, 60_000);
});
