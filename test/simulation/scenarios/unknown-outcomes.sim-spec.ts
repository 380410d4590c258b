import { Secret, type AttemptKey } from '@app/kernel';
import { SEALED_FIELDS } from '@app/orders/domain';
import { GATES, HOLDER, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy, timedOut } from './scripted-gate';

const SECOND_MS = 1_000;

describe('an unknown outcome (safety, F1 to F3)', () => {
  it('results from an exception of the adapter or a lost answer, and is inquired and never resent', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.reject(new Error('socket hang up'));
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
    expect(world.errors).toHaveLength(1);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as never);
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(world.gate.charges).toHaveLength(1);
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('results from 30 seconds without an answer (safety, F5)', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => new Promise(() => undefined);
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(30 * SECOND_MS);
    await working;
    expect(await world.lastData()).toMatchObject({ cause: 'timeout' });
  });

  it('ends with 121 on a "not found", but only after the flight time [W252]', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    await world.workOrder.work(world.stream);
    await world.clock.advance(4_999);
    await expect(world.workOrder.work(world.stream)).resolves.toBe(world.clock.now() + 1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
    await world.clock.advance(1);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
  });

  it('never fails by age, and is finally inquired every hour', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    world.gate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    const startedAt = world.clock.now();
    let dueAt = await world.workOrder.work(world.stream);
    const asked: number[] = [];
    for (let round = 0; round < 12 && dueAt !== undefined; round++) {
      await world.clock.advance(dueAt - world.clock.now());
      asked.push((world.clock.now() - startedAt) / SECOND_MS);
      dueAt = await world.workOrder.work(world.stream);
    }
    expect(asked).toEqual([1, 3, 5, 8, 23, 83, 383, 1_283, 4_883, 8_483, 12_083, 15_683]);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
    expect(world.gate.charges).toHaveLength(1);
  });

  it('records a contradicting later answer once, without changing the end (I4)', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    };
    await world.workOrder.work(world.stream);
    // Two concurrent inquiries get different answers: the first recorded one counts.
    let turn = 0;
    world.gate.onInquiry = () => Promise.resolve((turn++ === 0 ? declinedBy(key) : approvedBy(key)) as never);
    const both = Promise.all([world.workOrder.work(world.stream), world.workOrder.work(world.stream)]);
    await world.clock.advance(1_000);
    await both;
    const story = await world.story();
    expect(story.filter((type) => type.startsWith('Order'))).toEqual([
      'OrderAccepted',
      story.includes('AttemptApproved') ? 'OrderApproved' : 'OrderDeclined',
    ]);
    expect(story.at(-1)).toBe('LateResultConflict');
    expect(story).toHaveLength(6);
  });
});

describe('an unknown outcome resolved by an operator', () => {
  const REASON = 'the acquirer’s back office shows the transaction';

  it("ends with the operator's decision and name and a sealed reason, and the gates are not inquired again", async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    await expect(
      world.resolveUnknownOutcome.resolve(world.stream, { as: 'approved', reason: REASON, by: { actor: 'operator:jane' } }),
    ).resolves.toMatchObject({
      kind: 'resolved',
    });
    const [, , , settled, end] = await world.stored();
    expect([settled?.type, end?.type]).toEqual(['AttemptSettled', 'OrderApproved']);
    expect(settled?.metadata).toContain('"actor":"operator:jane"');
    expect(settled?.data).toContain('sealed:settlement-reason');
    expect(settled?.data).not.toContain('back office');
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(world.charged).toEqual([1, 0]);
  });

  it('is resolved once: a second decision is refused, and so is a decision without an open outcome', async () => {
    const world = new OrderScenario();
    await world.accept();
    await expect(
      world.resolveUnknownOutcome.resolve(world.stream, { as: 'declined', reason: REASON, by: { actor: 'jane' } }),
    ).resolves.toEqual({
      kind: 'refused',
      reason: 'nothing-to-resolve',
    });
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    await world.resolveUnknownOutcome.resolve(world.stream, { as: 'declined', reason: REASON, by: { actor: 'jane' } });
    await expect(
      world.resolveUnknownOutcome.resolve(world.stream, { as: 'approved', reason: REASON, by: { actor: 'jane' } }),
    ).resolves.toEqual({
      kind: 'refused',
      reason: 'order-final',
    });
    expect((await world.story()).slice(3)).toEqual(['AttemptSettled', 'OrderDeclined']);
  });

  it("keeps the gate's answer if it was recorded first", async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    world.store.stumble({ kind: 'rival', write: () => world.newProcess().workOrder.work(world.stream) });
    const resolving = world.resolveUnknownOutcome.resolve(world.stream, { as: 'declined', reason: REASON, by: { actor: 'jane' } });
    await world.clock.advance(SECOND_MS);
    await expect(resolving).resolves.toEqual({ kind: 'refused', reason: 'order-final' });
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('cannot be resolved after an end without an attempt', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    await expect(
      world.resolveUnknownOutcome.resolve(world.stream, { as: 'declined', reason: REASON, by: { actor: 'jane' } }),
    ).resolves.toEqual({
      kind: 'refused',
      reason: 'order-final',
    });
  });
});

describe('data that a gate returns for later inquiries', () => {
  const SESSION = 'session-at-the-gate';

  it('is recorded during the open call and used by every process, also after a kill [W506]', async () => {
    const world = new OrderScenario();
    await world.accept();
    let isTaken = false;
    world.gate.onCharge = async (_, limit) => {
      await limit.taken?.({ gateOrderId: '1000000007', session: new Secret(SESSION) });
      isTaken = true;
      return new Promise(() => undefined); // the process is killed with the call
    };
    void world.workOrder.work(world.stream);
    await world.clock.advanceUntil(() => isTaken, 1_000);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptTaken']);
    expect(JSON.stringify(await world.lastData())).not.toContain(SESSION);
    const other = world.newProcess();
    world.vault.texts.set(SEALED_FIELDS.gateSession, SESSION);
    await world.clock.advance(60_000);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    await other.workOrder.work(world.stream);
    const [question] = world.gate.questions;
    expect([question?.gateOrderId, question?.session?.reveal()]).toEqual(['1000000007', SESSION]);
    expect(world.gate.charges).toHaveLength(1);
    expect((await world.story()).slice(-2)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('is recorded once if an inquiry returns it', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    await world.workOrder.work(world.stream);
    world.gate.onInquiry = async (_, limit) => {
      await limit.taken?.({ gateOrderId: '1000000007' });
      return { kind: 'unknown', cause: 'gate-undecided' };
    };
    for (const _ of [1, 2]) {
      await world.clock.advance(5_000);
      await world.workOrder.work(world.stream);
    }
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown', 'AttemptTaken']);
    expect(world.gate.questions.map(({ gateOrderId }) => gateOrderId)).toEqual([undefined, '1000000007']);
  });

  it('prevents a later "not found" from ending the order', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = async (_, limit) => {
      await limit.taken?.({ gateOrderId: '1000000007' });
      return { kind: 'unknown', cause: 'connection-lost' };
    };
    await world.workOrder.work(world.stream);
    await world.clock.advance(60_000);
    await world.workOrder.work(world.stream);
    expect(world.gate.questions).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptTaken', 'AttemptUnknown']);
  });
});
