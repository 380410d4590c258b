import { eventually } from '@app/testing';
import { AcquirerLedger } from './acquirer-ledger';
import { requestOf, streamOf } from './follow-up-scenario';
import { CALLS, chance, somewhereAfter } from './late-calls';

const SECOND_MS = 1_000;
const ledger = AcquirerLedger.ofTheseTests();

describe('a follow-up call that exceeds its time limit', () => {
  it.each([
    { kind: 'capture', of: 'preauth', call: 'capture' },
    { kind: 'return', of: 'sale', call: 'return' },
    { kind: 'return', of: 'preauth', call: 'return' },
    { kind: 'void', of: 'sale', call: 'void' },
  ] as const)('reserves its amount until it ends, and moves it once: $kind of a $of', async ({ kind, of, call }) => {
    for (let index = 0; index < CALLS / 12; index++) {
      const delayMs = somewhereAfter(index);
      for (const [at, fault] of [
        { kind: 'leaves-late', delayMs, heedsLimit: false } as const,
        { kind: 'answers-late', delayMs } as const,
        { kind: 'leaves-late', delayMs, heedsLimit: true } as const,
      ].entries()) {
        const heeds = 'heedsLimit' in fault && fault.heedsLimit;
        const world = ledger.newScenario();
        world.isShared = (index + at) % 2 === 0;
        const order = await world.approve(of, 500n);
        const process = world.newProcess();
        await process.handler.handle(requestOf(order, kind, 1));
        world.faults.strike(call, fault);
        const sending = process.worker.work(streamOf(order), 1);
        // Wait for both timers: a thread writes the gate's ledger, and virtual time does not wait for it.
        await eventually(() => world.clock.pending === 2);
        for (let work = 0; work < 3; work++) {
          await world.clock.advance(Math.floor((delayMs - 500) / 3));
          const before = (await world.typesAfterEnd(order)).at(-1);
          // An inquiry reported the result, or the call gave up in time and no answer can arrive any more.
          if (before === 'FollowUpApproved' || before === 'FollowUpFailed') break;
          await process.worker.work(streamOf(order), 1);
          const after = (await world.typesAfterEnd(order)).at(-1);
          if (heeds && after === 'FollowUpFailed') break;
          expect(['FollowUpStarted', 'FollowUpUnknown', 'FollowUpApproved']).toContain(after);
          expect(await process.handler.handle(requestOf(order, kind, 2))).not.toMatchObject({ reason: 'accepted' });
        }
        await world.clock.advance(delayMs);
        await sending;
        await world.workOut(order, process);
        const isSent = !heeds;
        const approved = ledger.read.followUps(order.orderId).filter(({ state: { status } }) => status === 'approved');
        expect(approved.map(({ amount }) => amount.minor)).toEqual(isSent ? [500n] : []);
        expect((await world.events(order)).at(-1)).toMatchObject(
          isSent ? { type: 'FollowUpApproved' } : { type: 'FollowUpFailed', data: { code: 121 } },
        );
      }
    }
  });

  it.each([
    // A sent request may arrive after its call's time limit, because only this process could have sent it.
    ['there is one at a time', false, 120_000],
    // No process sees the end of another's call, so the request leaves within the call's time limit.
    ['several work on the log', true, 30_000],
  ])(`of a dead process is awaited by the next process and moves its amount once: ${CALLS} calls where %s`, async (...parts) => {
    const [, isShared, goneWithinMs] = parts;
    for (let index = 0; index < CALLS; index++) {
      const world = ledger.newScenario();
      world.isShared = isShared;
      const order = await world.approve('sale', 500n);
      const first = world.newProcess();
      await first.handler.handle(requestOf(order, 'return', 1));
      const goneAfterMs = 1_000 + Math.floor(chance.fraction() * goneWithinMs);
      const arrivesMs = goneAfterMs + Math.floor(chance.fraction() * 4_999);
      world.faults.strike('return', { kind: 'leaves-late', delayMs: arrivesMs, heedsLimit: false });
      void first.worker.work(streamOf(order), 1);
      await eventually(() => world.clock.pending === 2);
      await world.clock.advance(goneAfterMs);
      first.kill();
      const next = world.newProcess();
      for (let waitedMs = goneAfterMs; waitedMs < arrivesMs; waitedMs += SECOND_MS) {
        await world.workOne(order, next, 1);
        expect(await next.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'amount-out-of-range' });
        await world.clock.advance(Math.min(SECOND_MS, arrivesMs - waitedMs));
      }
      await eventually(() => ledger.read.followUps(order.orderId).length === 1);
      await world.workOut(order, next);
      expect((await world.typesAfterEnd(order)).at(-1)).toBe('FollowUpApproved');
      expect(await next.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'amount-out-of-range' });
      expect(ledger.read.followUps(order.orderId).map(({ amount, state }) => [amount.minor, state.status])).toEqual([[500n, 'approved']]);
    }
  });

  it.each([
    ['a failover', [2_900]],
    ['twice', [10 * SECOND_MS, 3 * SECOND_MS]],
    ['a minute', [60 * SECOND_MS]],
  ] as const)('is claimed again and sent once if its claim was slow to be stored: %s', async (_, delaysMs) => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 500n);
    const process = world.heldUpProcess(0, ...delaysMs);
    await process.handler.handle(requestOf(order, 'return', 1));
    await world.carry(process.worker.work(streamOf(order), 1));
    const events = await world.events(order);
    const starts = events
      .filter(({ type }) => type === 'FollowUpStarted')
      .map(({ data }) => data as { startedAt: number; attemptKey: string });
    expect(starts).toHaveLength(delaysMs.length + 1);
    expect(new Set(starts.map(({ attemptKey }) => attemptKey)).size).toBe(1);
    expect((starts.at(-1)?.startedAt ?? 0) - (starts[0]?.startedAt ?? 0)).toBeGreaterThanOrEqual(delaysMs.reduce((sum, ms) => sum + ms, 0));
    expect(events.at(-1)).toMatchObject({ type: 'FollowUpApproved' });
    expect(ledger.read.requests().filter(({ orderId, kind }) => orderId === order.orderId && kind === 'return')).toHaveLength(1);
  });

  it('is not ended by another process\'s "not found" if its claim was renewed', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 500n);
    // It learns after 36.5 s that its claim is stored, and renews it; its next request takes 3 s to arrive.
    const process = world.heldUpProcess(0, 36_500);
    await process.handler.handle(requestOf(order, 'return', 1));
    world.faults.strike('return', { kind: 'leaves-late', delayMs: 3_000, heedsLimit: false });
    const sending = process.worker.work(streamOf(order), 1);
    const other = world.newProcess();
    await world.clock.advance(36_400);
    world.faults.strike('inquire', { kind: 'answers-late', delayMs: SECOND_MS });
    const looking = other.worker.work(streamOf(order), 1);
    await eventually(() => world.clock.pending === 3);
    await world.clock.advance(1_500);
    await looking;
    expect(await world.typesAfterEnd(order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpStarted']);
    await world.clock.advance(3_000);
    await world.carry(sending);
    expect(await world.typesAfterEnd(order)).toEqual(['FollowUpAccepted', 'FollowUpStarted', 'FollowUpStarted', 'FollowUpApproved']);
  });
});

describe('a slow "not found" for a follow-up', () => {
  it('is not accepted if the request had not arrived at the time of the inquiry', async () => {
    const world = ledger.newScenario();
    const order = await world.approve('sale', 500n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'return', 1));
    world.faults.strike('return', { kind: 'late', delayMs: 3_000 });
    await world.workOne(order, process, 1);
    world.faults.strike('inquire', { kind: 'answers-late', delayMs: 6_000 });
    await world.workOne(order, process, 1);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpUnknown' });
    await world.workOut(order, process);
    expect((await world.events(order)).at(-1)).toMatchObject({ type: 'FollowUpApproved' });
  });
});
