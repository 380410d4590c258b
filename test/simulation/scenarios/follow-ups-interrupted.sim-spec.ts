import type { KillPoint } from '@app/kernel';
import fc from 'fast-check';
import { followUpFaults, overdraftFaults } from '../../support/crash/findings/follow-up-faults';
import { AcquirerLedger } from './acquirer-ledger';
import { requestOf } from './follow-up-scenario';

const ledger = AcquirerLedger.ofTheseTests();

describe('a process killed during a follow-up', () => {
  it.each<[KillPoint, string, number]>([
    ['P3', 'FollowUpApproved', 1],
    ['P5', 'FollowUpFailed', 0],
    ['P6', 'either', 1],
    ['P7', 'FollowUpApproved', 1],
    ['P8', 'FollowUpApproved', 1],
  ])('at %s leaves it to the next process, and it reaches the gate at most once', async (at, end, asked) => {
    const world = ledger.newScenario();
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
    const types = await world.typesAfterEnd(order);
    expect(types.filter((type) => type === 'FollowUpAccepted' || type === 'FollowUpStarted')).toHaveLength(2);
    if (end !== 'either') expect(types.at(-1)).toBe(end);
    expect(ledger.requestsOf(order.orderId).slice(1).length).toBeLessThanOrEqual(1);
    if (at !== 'P6') expect(ledger.requestsOf(order.orderId).slice(1)).toHaveLength(asked);
    const isMoved = ledger.read.followUps(order.orderId).some(({ state }) => state.status === 'approved');
    expect(isMoved).toBe(types.at(-1) === 'FollowUpApproved');
    expect(ledger.violationsOf(order.orderId)).toEqual([]);
  });
});

it('the oracle detects an overdrawn ledger independently of the log (safety, I12)', async () => {
  const world = ledger.newScenario();
  const order = await world.approve('preauth', 1_000n);
  const process = world.newProcess();
  await process.handler.handle(requestOf(order, 'capture', 1, 600n));
  await world.workOut(order, process);
  const held = ledger.read.transactions(order.orderId);
  const accepted = ledger.read.followUps(order.orderId);
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

  it('keep log and ledger consistent, are sent at most once, and never exceed the available amount (safety, I1b and I12)', async () => {
    let movedCount = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ operation, isPartial, asked: requests }) => {
        const world = ledger.newScenario({ isPartial });
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
        expect(followUpFaults(events, ledger.read.followUps(order.orderId))).toEqual([]);
        expect(overdraftFaults(ledger.read.transactions(order.orderId), ledger.read.followUps(order.orderId))).toEqual([]);
        expect(ledger.violationsOf(order.orderId)).toEqual([]);
        movedCount += events.filter(({ type }) => type === 'FollowUpApproved').length;
      }),
      { numRuns: 40 },
    );
    expect(movedCount).toBeGreaterThan(20);
  }, 60_000);
});
