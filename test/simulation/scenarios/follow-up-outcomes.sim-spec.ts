import type { Instant } from '@app/kernel';
import { metadataOf } from '@app/event-store';
import { eventually } from '@app/testing';
import { AcquirerLedger } from './acquirer-ledger';
import { requestOf, streamOf } from './follow-up-scenario';

const ledger = AcquirerLedger.ofTheseTests();

describe('a follow-up with an unknown outcome', () => {
  it.each([
    [317n, 'FollowUpApproved'],
    [318n, 'FollowUpDeclined'],
  ] as const)('is inquired and never resent: %s minor units', async (minor, end) => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1, minor));
    await world.workOne(order, process, 1);
    expect(await world.typesAfterEnd(order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpUnknown']);
    // The amount is reserved while the outcome is unknown.
    expect(await process.handler.handle(requestOf(order, 'return', 2, 1_001n - minor))).toEqual({ reason: 'amount-out-of-range' });
    await world.workOut(order, process);
    expect((await world.typesAfterEnd(order)).slice(3)).toEqual([end]);
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'return']);
    const all = await process.handler.handle(requestOf(order, 'return', 3, 1_000n));
    expect(all.reason).toBe(end === 'FollowUpDeclined' ? 'accepted' : 'amount-out-of-range');
  });

  it('ends with 121 and frees its amount for "not found" only after the longest flight time', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1));
    world.faults.strike('return', { kind: 'request-lost' });
    await world.workOne(order, process, 1);
    const { answeredAt = 0 } = (await world.events(order)).at(-1)?.data as { answeredAt?: number };
    await world.clock.advance(answeredAt + 5_000 - 1 - world.clock.now());
    expect(await world.newProcess().worker.work(streamOf(order), 1)).toBeDefined();
    expect((await world.typesAfterEnd(order)).at(-1)).toBe('FollowUpUnknown');
    await world.clock.advance(1);
    await world.workOut(order, world.newProcess());
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpFailed', data: { code: 121 } });
    expect(await process.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'accepted', number: 2 });
  });

  it('also results from an exception of the adapter', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'void', 1));
    world.faults.strike('void', { kind: 'throws' });
    await world.workOne(order, process, 1);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpUnknown', data: { cause: 'adapter-failed' } });
    expect(process.errors).toHaveLength(1);
    await world.workOut(order, process);
    expect((await world.typesAfterEnd(order)).at(-1)).toBe('FollowUpApproved');
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'void']);
  });

  it('may be resolved by an operator, who is recorded, and a later answer of the gate changes nothing', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1));
    const resolve = (number: number) =>
      process.resolving.resolve(streamOf(order), { number, as: 'declined', reason: 'told by telephone', by: { actor: 'olga' } });
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

it("a follow-up is not sent if another's late approval has used its amount (safety, I12)", async () => {
  const world = ledger.newScenario();
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
  await process.resolving.resolve(streamOf(order), { number: 1, as: 'declined', reason: 'told by telephone', by: { actor: 'olga' } });
  expect(await process.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'accepted', number: 2 });
  tell?.();
  await world.carry(late);
  await world.workOut(order, process);
  expect((await world.typesAfterEnd(order)).slice(-3)).toEqual(['LateFollowUpConflict', 'FollowUpStarted', 'FollowUpFailed']);
  expect(ledger.requestsOf(order.orderId)).toEqual(['charge', 'return']);
});

describe('a gate with limited capabilities', () => {
  it('ends a follow-up that it cannot take with 122, and the follow-up may be requested again', async () => {
    const world = ledger.newScenario();
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
    expect((await world.typesAfterEnd(order)).at(-1)).toBe('FollowUpApproved');
  });

  it('voids until midnight UTC: a void that waited beyond midnight is not sent', async () => {
    const world = ledger.newScenario({ startAt: Date.UTC(2024, 4, 1, 23, 59, 50) as Instant });
    const order = await world.approve('sale', 1_000n);
    const process = world.newProcess();
    expect(await process.handler.handle(requestOf(order, 'void', 1))).toMatchObject({ reason: 'accepted' });
    await world.clock.advance(10_000);
    await world.workOut(order, process);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpFailed', data: { code: 122 } });
    expect(await process.handler.handle(requestOf(order, 'void', 2))).toEqual({ reason: 'operation-not-possible' });
    expect(ledger.requestsOf(order.orderId)).toEqual(['charge']);
    await process.handler.handle(requestOf(order, 'return', 3));
    await world.workOut(order, process);
    expect((await world.typesAfterEnd(order)).at(-1)).toBe('FollowUpApproved');
  });

  it('receives a capture only after an open cancel has ended', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1, 417n));
    await process.handler.handle(requestOf(order, 'capture', 2, 500n));
    await world.workOne(order, process, 2);
    expect(ledger.requestsOf(order.orderId)).toEqual(['authorise']);
    await world.workOut(order, process);
    expect(ledger.requestsOf(order.orderId)).toEqual(['authorise', 'return', 'capture']);
    const moved = ledger.read.followUps(order.orderId).map(({ operation, amount }) => [operation, amount.minor]);
    expect(new Map(moved as [string, bigint][])).toEqual(
      new Map([
        ['cancel', 417n],
        ['capture', 500n],
      ]),
    );
    expect(ledger.violationsOf(order.orderId)).toEqual([]);
  });
});
