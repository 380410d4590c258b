import { StoreUnavailable } from '@app/event-store';
import type { AttemptKey, ClientOrderId } from '@app/kernel';
import { EARLY_KEPT_MS, EARLY_REPORTS_MAX, UNVERIFIED_PER_SECOND_MAX, EarlyReportsFull } from '@app/orders';
import { attemptEvents, OTHER_KEY } from '@app/testing';
import { GATES } from './order-scenario';
import { HeardScenario, OPEN, OTHER_GATE, REQUEST, SIM } from './notification-scenario';
import { approvedBy } from './scripted-gate';

const keyOf = (index: number): AttemptKey => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` as AttemptKey;

describe('an outcome that arrives early (safety, F6)', () => {
  it('is kept while its key is not in the log, and recorded once the key is', async () => {
    const world = new HeardScenario();
    await world.accept();
    world.key = OTHER_KEY;
    await world.told(world.outcome(approvedBy(OTHER_KEY)));
    expect([await world.story(), world.heard]).toEqual([['OrderAccepted'], ['sim-a outcome early']]);
    const { claim } = await world.contexts.open(world.stream);
    const { amount, startedAt } = attemptEvents.started().data;
    await claim(
      { type: 'StartAttempt', receiptId: 'r', data: { key: OTHER_KEY, gate: SIM, amount, now: startedAt } },
      { correlation: 'c', causation: 'c', actor: 'orchestrator', merchant: 'acme', commandId: 'k', recordedAt: startedAt },
    );
    await world.clock.advance(EARLY_KEPT_MS / 2);
    expect((await world.story()).slice(1)).toEqual(['AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.heard).toEqual(['sim-a outcome early', 'sim-a outcome recorded']);
    expect(world.clock.pending).toBe(0);
  });

  it('is dropped with an alarm after 10 minutes, even if the log was away in that time', async () => {
    const world = await HeardScenario.open();
    world.key = OTHER_KEY;
    await world.told(world.outcome(approvedBy(OTHER_KEY)));
    world.store.isAway = true;
    await world.clock.advance(EARLY_KEPT_MS - 1);
    world.store.isAway = false;
    expect(world.heard).toEqual(['sim-a outcome early']);
    await world.clock.advance(1);
    expect(world.heard).toEqual(['sim-a outcome early', 'sim-a outcome never-known', 'sim-a alarm']);
    expect(await world.story()).toEqual(OPEN);
    expect(world.errors.length).toBeGreaterThan(0);
    expect(world.clock.pending).toBe(0);
  });

  it('is refused beyond the maximum number of early outcomes, so that the gate has to repeat it', async () => {
    const world = await HeardScenario.open();
    world.key = OTHER_KEY;
    await world.told(...Array.from({ length: EARLY_REPORTS_MAX }, () => world.outcome(approvedBy(OTHER_KEY))));
    world.reports = [world.outcome(approvedBy(OTHER_KEY))];
    await expect(
      world.process.hearing.hear({ gate: SIM, notified: { stream: world.stream, key: OTHER_KEY }, request: REQUEST }),
    ).rejects.toThrow(EarlyReportsFull);
    expect(world.heard.at(-1)).toBe('sim-a outcome no-room');
    await world.process.hearing.stop();
    expect(world.clock.pending).toBe(0);
  });

  it('is kept if the log does not contain its order yet', async () => {
    const world = new HeardScenario();
    world.key = OTHER_KEY;
    await world.told(world.outcome(approvedBy(OTHER_KEY)));
    expect(world.heard).toEqual(['sim-a outcome early']);
    await world.process.hearing.stop();
  });
});

describe('an outcome for another order or gate (safety, F6)', () => {
  it.each<[string, (world: HeardScenario) => Promise<void>]>([
    ['of another order’s key', (world) => world.told(world.outcome(approvedBy(OTHER_KEY), OTHER_KEY))],
    ['of an invalid key', (world) => world.told(world.outcome(approvedBy(world.key), 'x'.repeat(10_000) as AttemptKey))],
  ])('%s is counted as unknown and changes nothing', async (_, tell) => {
    const world = await HeardScenario.open();
    await tell(world);
    await world.clock.advance(EARLY_KEPT_MS);
    expect([await world.story(), world.heard]).toEqual([OPEN, ['sim-a outcome unknown']]);
    expect(world.madeDue).toEqual([]);
  });

  it('is not recorded if it comes from a gate that was not asked', async () => {
    const world = await HeardScenario.open();
    await world.toldTo(world.process, OTHER_GATE, [world.outcome(approvedBy(world.key)), { kind: 'hint', key: world.key }]);
    expect(await world.story()).toEqual(OPEN);
    expect(world.heard).toEqual(['sim-b outcome early', 'sim-b hint unknown']);
    await world.process.hearing.stop();
  });

  it('is not accepted by a gate without notifications', async () => {
    const world = await HeardScenario.open();
    delete world.gate.listening;
    expect(world.process.hearing.listens(SIM)).toBe(false);
    expect(await world.process.hearing.hear({ gate: SIM, notified: undefined, request: REQUEST })).toBeUndefined();
    expect(world.heard).toEqual([]);
  });
});

describe('a report at the common address of a gate', () => {
  const CHARGEBACK = { kind: 'chargeback', reportId: 'CB-1' } as const;

  it('is recorded for the order that the read models find by its key', async () => {
    const world = await HeardScenario.open();
    world.index = (key) => Promise.resolve(key === world.key ? [world.stream] : []);
    await world.toldUnaddressed(world.outcome(approvedBy(world.key)));
    expect((await world.story()).slice(OPEN.length)).toEqual(['AttemptApproved', 'OrderApproved']);
    await world.toldUnaddressed({ kind: 'dispute', key: world.key, news: { ...CHARGEBACK, amount: attemptEvents.started().data.amount } });
    expect((await world.story()).at(-1)).toBe('ChargebackReceived');
    expect(world.heard).toEqual(['sim-a outcome recorded', 'sim-a dispute recorded']);
  });

  it('is not recorded for an order whose own stream does not contain the key, whatever the read models return', async () => {
    const world = await HeardScenario.open();
    const decoy = await world.accept({ gates: GATES }, 'named-like-the-key' as ClientOrderId);
    world.index = () => Promise.resolve([decoy]);
    await world.toldUnaddressed(world.outcome(approvedBy(world.key)), { kind: 'hint', key: world.key });
    expect(world.heard).toEqual(['sim-a outcome early', 'sim-a hint unknown']);
    world.index = () => Promise.resolve([decoy, world.stream]);
    await world.clock.advance(EARLY_KEPT_MS / 2);
    expect((await world.story()).slice(OPEN.length)).toEqual(['AttemptApproved', 'OrderApproved']);
    expect(world.heard.at(-1)).toBe('sim-a outcome recorded');
  });

  it('is kept while the read models are away or lack its key, and is then dropped with an alarm', async () => {
    const world = await HeardScenario.open();
    await world.toldUnaddressed(world.outcome(approvedBy(world.key)));
    world.index = () => Promise.reject(new StoreUnavailable('the read models are away'));
    await world.clock.advance(EARLY_KEPT_MS);
    expect(world.heard).toEqual(['sim-a outcome early', 'sim-a outcome never-known', 'sim-a alarm']);
    expect([await world.story(), world.clock.pending]).toEqual([OPEN, 0]);
    world.reports = [world.outcome(approvedBy(world.key))];
    await expect(world.process.hearing.hear({ gate: SIM, notified: undefined, request: REQUEST })).rejects.toThrow(StoreUnavailable);
  });

  it('raises an alarm if it is a dispute about an unknown order', async () => {
    const world = await HeardScenario.open();
    await world.toldUnaddressed({ kind: 'dispute', key: OTHER_KEY, news: { ...CHARGEBACK, amount: attemptEvents.started().data.amount } });
    expect(world.heard).toEqual(['sim-a dispute unknown', 'sim-a alarm']);
  });

  it('schedules an inquiry if it is an unauthenticated hint, within the rate limit', async () => {
    const world = await HeardScenario.open();
    world.index = (key) => Promise.resolve(key === world.key ? [world.stream] : []);
    await world.toldUnaddressed({ kind: 'hint', key: world.key });
    expect([await world.story(), world.madeDue, world.heard]).toEqual([OPEN, [world.stream], ['sim-a hint due']]);
    const strangers = Array.from({ length: 5 * UNVERIFIED_PER_SECOND_MAX }, () => ({
      kind: 'hint' as const,
      key: world.ids.next() as AttemptKey,
    }));
    await world.toldUnaddressed(...strangers);
    await world.clock.advance(0);
    expect(world.lookedFor.length).toBeLessThanOrEqual(UNVERIFIED_PER_SECOND_MAX);
  });

  it('causes no look-up if its key does not have our format', async () => {
    const world = await HeardScenario.open();
    const keys = ['', 'x'.repeat(36), world.key.toUpperCase(), `${world.key}0`] as AttemptKey[];
    await world.toldUnaddressed(...keys.flatMap((key) => [world.outcome(approvedBy(key), key), { kind: 'hint' as const, key }]));
    expect([world.lookedFor, new Set(world.heard)]).toEqual([[], new Set(['sim-a outcome unknown', 'sim-a hint unknown'])]);
  });
});

describe('an unauthenticated hint from a gate', () => {
  const hinted = (world: HeardScenario, key = world.key): Promise<void> => world.told({ kind: 'hint', key });

  it('schedules an inquiry of its order and changes nothing else', async () => {
    const world = await HeardScenario.open();
    await hinted(world);
    expect([await world.story(), world.madeDue, world.heard]).toEqual([OPEN, [world.stream], ['sim-a hint due']]);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    await hinted(world);
    expect(world.heard.at(-1)).toBe('sim-a hint nothing-open');
  });

  it("changes nothing if its key is unknown or the gate's circuit is open", async () => {
    const world = await HeardScenario.open();
    await hinted(world, OTHER_KEY);
    world.openCircuits.add(SIM);
    await hinted(world);
    expect([world.madeDue, world.heard]).toEqual([[], ['sim-a hint unknown', 'sim-a hint circuit-open']]);
  });

  it('is rate-limited per gate with bounded memory', async () => {
    const world = await HeardScenario.open();
    const flood = Array.from({ length: 20 * UNVERIFIED_PER_SECOND_MAX }, (_, index) => ({
      kind: 'hint' as const,
      key: keyOf(index),
    }));
    const reads = world.store.reads;
    await world.told(...flood);
    await world.clock.advance(0);
    expect(world.store.reads - reads).toBeLessThanOrEqual(UNVERIFIED_PER_SECOND_MAX);
    expect(world.heard.filter((line) => line === 'sim-a hint limited')).toHaveLength(19 * UNVERIFIED_PER_SECOND_MAX);
    await hinted(world);
    expect(world.madeDue).toEqual([]);
    await world.clock.advance(1_000);
    await hinted(world);
    expect(world.madeDue).toEqual([world.stream]);
  });

  it('is dropped and reported if the log is away', async () => {
    const world = await HeardScenario.open();
    world.store.isAway = true;
    await hinted(world);
    expect([world.heard, world.errors.length]).toEqual([['sim-a hint failed'], 1]);
  });
});
