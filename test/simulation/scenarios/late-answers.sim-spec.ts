import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, type AttemptKey, type ClientOrderId, type GateAlias, type MerchantLogin } from '@app/kernel';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import { openSimulatorLedger, readLedger, type LedgerReader, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import { OVERDUE_PER_LANE_MAX, ROOM_CHECK_MS, workLane } from '@app/order-processing';
import { eventually, seededRandom } from '@app/testing';
import { FollowUpScenario, requestOf, streamOf } from './follow-up-scenario';
import { wholeNumber } from '../../support/crash/runs/run-settings';
import { CVV, HOLDER, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** 200 in `npm run test:long`. */
const CALLS = wholeNumber('LATE_ANSWERS', 50);
const LANE = workLane('acme' as MerchantLogin, 'sim-a' as GateAlias);
/** Around the end of a call's time, and around the end of its flight after that. */
const MOMENTS_MS = [30_001, 32_001, 35_001, 37_001, 60_001, HOUR_MS] as const;

const later = <Answer>(world: OrderScenario, ms: number, answer: () => Answer): Promise<Answer> =>
  new Promise((resolve) => void world.clock.after(ms, () => resolve(answer())));

/** Works like the reactor: whenever the order is due, until the given moment. */
const workUntil = async (world: OrderScenario, untilMs: number, work: () => Promise<number | undefined>): Promise<void> => {
  const end = world.clock.now() + untilMs;
  let dueAt: number | undefined = world.clock.now() + SECOND_MS;
  while (dueAt !== undefined && dueAt <= end) {
    await world.clock.advance(dueAt - world.clock.now());
    dueAt = await work();
  }
  await world.clock.advance(end - world.clock.now());
};

const chance = seededRandom(25);
const somewhereAfter = (index: number): number => (MOMENTS_MS[index % MOMENTS_MS.length] ?? 0) + Math.floor(chance.fraction() * 5_000);

const folder = mkdtempSync(join(tmpdir(), 'late-answers-'));
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

describe('a charge that runs past its time (safety, B25)', () => {
  it(`is waited for, however often the gate answers "not found": ${CALLS} of them`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario(index % 2 === 0);
      await world.accept();
      const endsMs = somewhereAfter(index);
      const isApproved = index % 3 !== 0;
      world.gate.onCharge = ({ key }) => later(world, endsMs, () => (isApproved ? approvedBy(key) : declinedBy(key)));
      const working = world.workOrder.work(world.stream);
      await workUntil(world, endsMs - 1, () => world.workOrder.work(world.stream));
      await working;
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
      expect(world.late).toEqual([]);
      await world.clock.advance(1);
      expect((await world.story()).slice(3)).toEqual(
        isApproved ? ['AttemptApproved', 'OrderApproved'] : ['AttemptDeclined', 'OrderDeclined'],
      );
      expect(world.late).toEqual([isApproved ? 'submit: approved' : 'submit: declined']);
      expect(world.gate.charges).toHaveLength(1);
    }
  });

  it('is believed not found once it has ended and what had left must have arrived', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => later(world, 60 * SECOND_MS, (): ChargeAnswer => ({ kind: 'unknown', cause: 'connection-lost' }));
    const working = world.workOrder.work(world.stream);
    await workUntil(world, 64_999, () => world.workOrder.work(world.stream));
    await working;
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await world.clock.advance(1);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
  });

  it(`is recorded and alarmed where another process has given it up meanwhile: ${CALLS} of them`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario();
      await world.accept();
      world.gate.onCharge = ({ key }) => later(world, HOUR_MS + index, () => approvedBy(key));
      const working = world.workOrder.work(world.stream);
      const other = world.newProcess();
      await workUntil(world, 36_999, () => other.workOrder.work(world.stream));
      await working;
      expect((await world.story()).at(-1)).toBe('AttemptUnknown');
      await workUntil(world, HOUR_MS / 2, () => other.workOrder.work(world.stream));
      expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
      await world.clock.advance(HOUR_MS);
      expect((await world.story()).slice(5)).toEqual(['LateResultConflict']);
      expect(world.late).toEqual(['submit: approved']);
      expect(world.gate.charges).toHaveLength(1);
    }
  });

  it(`of a process that is gone may have left until the next one began, where there is one at a time: ${CALLS} of them`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario(false);
      await world.accept();
      world.gate.onCharge = () => new Promise(() => undefined);
      void world.workOrder.work(world.stream);
      const goneAfterMs = Math.floor(chance.fraction() * 24_000);
      await world.clock.advance(goneAfterMs);
      // A clock that is set meanwhile must change nothing.
      if (index % 2 === 0) world.clock.jump(index % 4 === 0 ? 24 * HOUR_MS : -24 * HOUR_MS);
      const { workOrder } = world.newProcess();
      await workUntil(world, 4_999, () => workOrder.work(world.stream));
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
      await world.clock.advance(1);
      await workOrder.work(world.stream);
      expect((await world.story()).slice(2)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    }
  });

  it('keeps its answer while the log is away, and its key with it', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = ({ key }) => later(world, 40 * SECOND_MS, () => approvedBy(key));
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(39 * SECOND_MS);
    await working;
    world.store.stumble({ kind: 'refused' }, { kind: 'refused' }, { kind: 'refused' });
    await world.clock.advance(SECOND_MS);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await world.workOrder.work(world.stream);
    await world.clock.advance(10 * SECOND_MS);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is aborted when its time is over, and knows how long it has', async () => {
    const world = new OrderScenario();
    await world.accept();
    let limit: { withinMs: number; signal: AbortSignal } | undefined;
    world.gate.onCharge = (_request, given) => {
      limit = given;
      return new Promise((resolve) => given.signal.addEventListener('abort', () => resolve({ kind: 'not-asked', cause: 'unavailable' })));
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(29_999);
    expect(limit).toMatchObject({ withinMs: 30_000, signal: { aborted: false } });
    await world.clock.advance(1);
    await working;
    expect(limit?.signal.aborted).toBe(true);
    expect((await world.story()).slice(2)).toEqual(['AttemptUnknown', 'AttemptNotAsked', 'OrderFailed']);
  });
});

describe('the second leg of 3-D Secure that runs past its time', () => {
  const payerBack = async (isShared: boolean): Promise<{ world: OrderScenario; key: AttemptKey }> => {
    const world = new OrderScenario(isShared);
    await world.accept();
    const key = await new Promise<AttemptKey>((resolve) => {
      world.gate.onCharge = (request) => {
        resolve(request.key);
        return Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
      };
      void world.workOrder.work(world.stream);
    });
    await world.clock.advance(SECOND_MS);
    return { world, key };
  };

  it(`is waited for, although the gate still shows its page: ${CALLS} of them`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const { world, key } = await payerBack(index % 2 === 0);
      const endsMs = somewhereAfter(index);
      world.gate.onComplete = () => later(world, endsMs, () => approvedBy(key));
      world.gate.onInquiry = () =>
        Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
      const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
      await workUntil(world, endsMs - 1, () => world.workOrder.work(world.stream));
      await returning;
      expect((await world.story()).slice(3)).toEqual(['PayerReturned', 'AttemptUnknown']);
      await world.clock.advance(1);
      expect((await world.story()).slice(5)).toEqual(['AttemptApproved', 'OrderApproved']);
      expect(world.late).toEqual(['complete: approved']);
      expect(world.gate.completions).toEqual([key]);
    }
  });
});

describe('a "not found" that another process received', () => {
  const page = { kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } } as const;

  it('about the first leg of 3-D Secure says nothing of the second: what is in flight is waited for', async () => {
    const world = new OrderScenario();
    await world.accept();
    const other = world.newProcess();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return later(world, 2 * SECOND_MS, () => page);
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(SECOND_MS);
    // The request is still on its way to the gate.
    await other.workOrder.work(world.stream);
    expect(world.gate.inquiries).toHaveLength(1);
    await world.clock.advance(SECOND_MS);
    await working;
    await world.clock.advance(5 * 60 * SECOND_MS);
    world.gate.onComplete = () => later(world, 4 * SECOND_MS, () => approvedBy(key));
    world.gate.onInquiry = () => Promise.resolve(page);
    const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(SECOND_MS);
    await other.workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['PayerChallenged', 'PayerReturned']);
    await world.clock.advance(3 * SECOND_MS);
    await returning;
    expect((await world.story()).slice(4)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('before a claim was renewed says nothing of what left under the renewed one', async () => {
    const world = new OrderScenario();
    await world.accept();
    const append = world.store.append.bind(world.store);
    let isHeldUp = true;
    world.store.append = async (...parameters) => {
      const result = await append(...parameters);
      if (isHeldUp) {
        isHeldUp = false;
        await sleep(world.clock, 36 * SECOND_MS);
      }
      return result;
    };
    world.gate.onCharge = ({ key }) => later(world, 4 * SECOND_MS, () => approvedBy(key));
    const working = world.workOrder.work(world.stream);
    const other = world.newProcess();
    await world.clock.advance(SECOND_MS);
    await other.workOrder.work(world.stream);
    // It goes on after 36 s, renews the claim and sends; the flight of the first claim would be over after 37 s.
    await world.clock.advance(37 * SECOND_MS);
    await other.workOrder.work(world.stream);
    expect(world.gate.inquiries).toHaveLength(2);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptStarted']);
    await world.clock.advance(4 * SECOND_MS);
    await working;
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    expect(world.gate.charges).toHaveLength(1);
  });
});

describe('a "not found" that was long on its way', () => {
  it.each([false, true])(
    'counts for the moment at which it was requested, when the charge had not arrived (shared log: %s)',
    async (isShared) => {
      const world = new OrderScenario(isShared);
      await world.clock.advance(HOUR_MS);
      await world.accept();
      // It arrives 3 s later, and its answer reaches nobody.
      let isBooked = false;
      world.gate.onCharge = () => {
        world.clock.after(3 * SECOND_MS, () => (isBooked = true));
        return later(world, 2 * SECOND_MS, (): ChargeAnswer => ({ kind: 'unknown', cause: 'connection-lost' }));
      };
      world.gate.onInquiry = (key) => {
        const answer = isBooked ? approvedBy(key) : ({ kind: 'not-found' } as const);
        return later(world, 6 * SECOND_MS, () => answer as never);
      };
      const working = world.workOrder.work(world.stream);
      await world.clock.advance(2 * SECOND_MS);
      await working;
      const looking = world.workOrder.work(world.stream);
      await world.clock.advance(6 * SECOND_MS);
      await looking;
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
      const again = world.workOrder.work(world.stream);
      await world.clock.advance(6 * SECOND_MS);
      await again;
      expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    },
  );

  it('is not believed about a follow-up either', async () => {
    const world = new FollowUpScenario(ledger, ++seeds);
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

describe('an answer that could not be recorded', () => {
  it.each([false, true])('is not contradicted by a "not found" of a gate whose ledger lags behind (shared log: %s)', async (isShared) => {
    const world = new OrderScenario(isShared);
    await world.clock.advance(HOUR_MS);
    await world.accept();
    world.gate.onCharge = ({ key }) => {
      world.store.isAway = true;
      return Promise.resolve(approvedBy(key));
    };
    await expect(world.workOrder.work(world.stream)).rejects.toThrow();
    world.store.isAway = false;
    await world.clock.advance(SECOND_MS);
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as never);
    await world.clock.advance(3_900);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['AttemptApproved', 'OrderApproved']);
  });
});

describe('the room of a gate', () => {
  it('counts calls that ran past their time until they have ended', async () => {
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

  it('keeps orders with a CVV waiting, and accepts no more than it can hold', async () => {
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

  it('sends no inquiry twice at once: one that does not end is not repeated', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    let answer: (() => void) | undefined;
    world.gate.onInquiry = (key) => new Promise((resolve) => (answer = () => resolve(approvedBy(key) as never)));
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

describe('a follow-up that runs past its time', () => {
  const wordOfFollowUp = async (world: FollowUpScenario, order: Parameters<FollowUpScenario['events']>[0]) =>
    (await world.events(order)).slice(5).map(({ type }) => type);

  it.each([
    { kind: 'capture', of: 'preauth', call: 'capture' },
    { kind: 'return', of: 'sale', call: 'return' },
    { kind: 'return', of: 'preauth', call: 'return' },
    { kind: 'void', of: 'sale', call: 'void' },
  ] as const)('holds its sum until it has ended, and then moves it once: $kind of a $of', async ({ kind, of, call }) => {
    for (let index = 0; index < CALLS / 12; index++) {
      const delayMs = somewhereAfter(index);
      for (const fault of [
        { kind: 'leaves-late', delayMs, heedsLimit: false } as const,
        { kind: 'answers-late', delayMs } as const,
        { kind: 'leaves-late', delayMs, heedsLimit: true } as const,
      ]) {
        const heeds = 'heedsLimit' in fault && fault.heedsLimit;
        const world = new FollowUpScenario(ledger, ++seeds);
        world.isShared = seeds % 2 === 0;
        const order = await world.approve(of, 500n);
        const process = world.newProcess();
        await process.handler.handle(requestOf(order, kind, 1));
        world.faults.strike(call, fault);
        const sending = process.worker.work(streamOf(order), 1);
        // Wait for the time of the call and for what the fault waits for: the gate's ledger is a thread's, which virtual time does not wait for.
        await eventually(() => world.clock.pending === 2);
        for (let work = 0; work < 3; work++) {
          await world.clock.advance(Math.floor((delayMs - 500) / 3));
          const before = (await wordOfFollowUp(world, order)).at(-1);
          // The gate had done it and an inquiry reported it; or the call gave up in time, and nothing of it can arrive any more.
          if (before === 'FollowUpApproved' || before === 'FollowUpFailed') break;
          await process.worker.work(streamOf(order), 1);
          const after = (await wordOfFollowUp(world, order)).at(-1);
          if (heeds && after === 'FollowUpFailed') break;
          expect(['FollowUpStarted', 'FollowUpUnknown', 'FollowUpApproved']).toContain(after);
          expect(await process.handler.handle(requestOf(order, kind, 2))).not.toMatchObject({ reason: 'accepted' });
        }
        await world.clock.advance(delayMs);
        await sending;
        await world.workOut(order, process);
        const isSent = !heeds;
        const approved = acquirerLedger.followUps(order.orderId).filter(({ state: { status } }) => status === 'approved');
        expect(approved.map(({ amount }) => amount.minor)).toEqual(isSent ? [500n] : []);
        expect((await world.events(order)).at(-1)).toMatchObject(
          isSent ? { type: 'FollowUpApproved' } : { type: 'FollowUpFailed', data: { code: 121 } },
        );
      }
    }
  });

  it.each([
    // What had left may arrive after the time of its call, because only this process could have sent it.
    ['there is one at a time', false, 120_000],
    // Nobody sees the end of another process's call: it leaves within the time that a call has.
    ['several work on the log', true, 30_000],
  ])(`of a process that is gone is waited for by the next one, and moves its sum once: ${CALLS} of them where %s`, async (...parts) => {
    const [, isShared, goneWithinMs] = parts;
    for (let index = 0; index < CALLS; index++) {
      const world = new FollowUpScenario(ledger, ++seeds);
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
      await eventually(() => acquirerLedger.followUps(order.orderId).length === 1);
      await world.workOut(order, next);
      expect((await wordOfFollowUp(world, order)).at(-1)).toBe('FollowUpApproved');
      expect(await next.handler.handle(requestOf(order, 'return', 2))).toMatchObject({ reason: 'amount-out-of-range' });
      expect(acquirerLedger.followUps(order.orderId).map(({ amount, state }) => [amount.minor, state.status])).toEqual([
        [500n, 'approved'],
      ]);
    }
  });

  it.each([
    ['a failover', [2_900]],
    ['twice', [10 * SECOND_MS, 3 * SECOND_MS]],
    ['a minute', [60 * SECOND_MS]],
  ] as const)('whose claim was slow to be stored is claimed again and sent once, soon after its claim: %s', async (_, delaysMs) => {
    const world = new FollowUpScenario(ledger, ++seeds);
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
    expect(acquirerLedger.requests().filter(({ orderId, kind }) => orderId === order.orderId && kind === 'return')).toHaveLength(1);
  });

  it('is not judged by another process from what had left under a claim that was renewed meanwhile', async () => {
    const world = new FollowUpScenario(ledger, ++seeds);
    const order = await world.approve('sale', 500n);
    // It learns after 36.5 s that its claim is stored, and renews it; what it then sends is on its way for 3 s.
    const process = world.heldUpProcess(0, 36_500);
    await process.handler.handle(requestOf(order, 'return', 1));
    world.faults.strike('return', { kind: 'leaves-late', delayMs: 3_000, heedsLimit: false });
    const sending = process.worker.work(streamOf(order), 1);
    const other = world.newProcess();
    await world.clock.advance(36_400);
    world.faults.strike('inquire', { kind: 'answers-late', delayMs: SECOND_MS });
    const looking = other.worker.work(streamOf(order), 1);
    // Three timers: the news that the claim is stored, the time of the inquiry, and its answer.
    await eventually(() => world.clock.pending === 3);
    await world.clock.advance(1_500);
    await looking;
    expect(await wordOfFollowUp(world, order)).toEqual(['FollowUpStarted', 'FollowUpStarted']);
    await world.clock.advance(3_000);
    await world.carry(sending);
    expect(await wordOfFollowUp(world, order)).toEqual(['FollowUpStarted', 'FollowUpStarted', 'FollowUpApproved']);
  });
});
