import type { AttemptKey, GateAlias } from '@app/kernel';
import { StoreUnavailable } from '@app/event-store';
import type { Approved, GateReport, InboundRequest, InquiryAnswer, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import { EARLY_KEPT_MS, EARLY_REPORTS_MAX, HINTS_PER_SECOND_MAX, NoRoomForReport } from '@app/order-processing';
import { paymentCodec } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { ATTEMPT_KEY, attemptEvents, finalEvents, followUpEvents, OTHER_KEY, sampleOrder, settle, usd } from '@app/testing';
import { CVV, GATES, HOLDER, LANE, OrderScenario, type OrderProcess } from './order-scenario';
import { approvedBy, declinedBy, declining, timedOut } from './scripted-gate';

const SIM = 'sim-a' as GateAlias;
const OTHER_GATE = 'sim-b' as GateAlias;
const REQUEST: InboundRequest = {
  method: 'POST',
  path: [],
  query: new Map(),
  rawQuery: '',
  headers: new Map(),
  contentType: 'application/json',
  body: '{}',
};
const OPEN = ['OrderAccepted', 'AttemptStarted', 'AttemptUnknown'];

/** A gate that listens, and tells what the scenario lets it tell. */
class HeardScenario extends OrderScenario {
  reports: readonly GateReport[] = [];
  key = '' as AttemptKey;

  constructor() {
    super();
    const listen = () => Promise.resolve({ reply: { status: 200, body: 'OK' }, reports: this.reports });
    this.gate.listening = { listen };
    this.otherGate.listening = { listen };
  }

  /** An order whose first gate left open what became of it. */
  static async open(): Promise<HeardScenario> {
    const world = new HeardScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    world.key = world.gate.charges[0]?.key ?? world.key;
    return world;
  }

  outcome(answer: InquiryAnswer | ((sent: SentRequest | SentFollowUp) => InquiryAnswer), key = this.key): GateReport {
    return { kind: 'outcome', key, answerTo: typeof answer === 'function' ? answer : () => answer };
  }

  /** The gate tells it, at the address that names the order. */
  async told(...reports: readonly GateReport[]): Promise<void> {
    await this.toldTo(this.process, SIM, reports);
  }

  async toldTo(process: OrderProcess, gate: GateAlias, reports: readonly GateReport[], key = this.key): Promise<void> {
    this.reports = reports;
    const reply = await process.hearing.hear(gate, { stream: this.stream, key }, REQUEST);
    expect(reply).toStrictEqual({ status: 200, body: 'OK' });
    await settle();
  }
}

describe('an outcome that a gate reports, authenticated (safety, F6)', () => {
  it('ends the order as an inquiry would, and is looked at by its workers at once', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(approvedBy(world.key)));
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(world.gate.inquiries).toEqual([]);
    expect(world.heard).toEqual(['sim-a outcome recorded']);
    expect(world.madeDue).toEqual([world.stream]);
  });

  it('ends it while the call that sent it is still open, whose own answer then says nothing new', async () => {
    const world = new HeardScenario();
    await world.accept();
    let answer: (told: Approved) => void = () => undefined;
    world.gate.onCharge = (request) => {
      world.key = request.key;
      return new Promise((resolve) => (answer = resolve));
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advanceUntil(() => world.key !== '', 1_000);
    await world.told(world.outcome(approvedBy(world.key)));
    answer(approvedBy(world.key));
    await Promise.all([working, world.clock.advance(1_000)]);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('lets the next gate be asked where it is a decline that may be followed', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(declinedBy(world.key, 100)));
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual([
      'AttemptDeclined',
      'NextAttemptChosen',
      'AttemptStarted',
      'AttemptApproved',
      'OrderApproved',
    ]);
    expect(world.charged).toEqual([1, 1]);
  });

  it('doubled: is recorded once, in whichever processes and however often it arrives', async () => {
    const world = await HeardScenario.open();
    const processes = [world.process, world.newProcess(), world.newProcess()];
    const report = world.outcome(approvedBy(world.key));
    const telling = processes.map((process) => world.toldTo(process, SIM, [report, report]));
    await Promise.all([...telling, world.clock.advance(1_000)]);
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(world.heard.filter((line) => line === 'sim-a outcome recorded')).toHaveLength(1);
    expect(world.heard.filter((line) => line === 'sim-a outcome nothing-new')).toHaveLength(5);
  });

  it('disordered: what comes behind the outcome changes nothing, and a contradiction is on record', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(approvedBy(world.key)));
    await world.told(world.outcome({ kind: 'unknown', cause: 'gate-undecided' }));
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    await world.told(world.outcome({ kind: 'not-asked', cause: 'unavailable' }));
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    await world.told(world.outcome(declinedBy(world.key)));
    await world.told(world.outcome(declinedBy(world.key)));
    expect((await world.story()).slice(5)).toEqual(['LateResultConflict']);
  });

  it('revokes a decline that another attempt followed: money moved twice, which somebody has to see', async () => {
    const world = new HeardScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = declining(100);
    await world.workOrder.work(world.stream);
    await world.workOrder.work(world.stream);
    const first = world.gate.charges[0]?.key ?? world.key;
    let asked: SentRequest | undefined;
    await world.toldTo(world.process, SIM, [world.outcome((sent) => ((asked = sent), approvedBy(first)), first)], first);
    expect(asked).toMatchObject({ key: first, amount: world.gate.charges[0]?.amount });
    expect((await world.story()).at(-1)).toBe('LateResultConflict');
  });

  it('decides nothing where it is about another sum, and the gate is asked instead', async () => {
    const world = await HeardScenario.open();
    await world.told(
      world.outcome(({ amount }) => (amount?.minor === 1n ? approvedBy(world.key) : { kind: 'unknown', cause: 'unrecognised-answer' })),
    );
    expect(await world.story()).toEqual(OPEN);
    expect(world.heard).toEqual(['sim-a outcome undecided', 'sim-a hint due']);
  });

  it.each<[string, InquiryAnswer]>([
    ['does not know the request', { kind: 'not-found' }],
    ['has not decided', { kind: 'unknown', cause: 'gate-undecided' }],
  ])('is none where the gate says that it %s', async (_, answer) => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(answer));
    await world.clock.advance(EARLY_KEPT_MS);
    expect(await world.story()).toEqual(OPEN);
  });

  it('lets another gate be asked where the gate refused the request, but not once the payer is back', async () => {
    const refused = await HeardScenario.open();
    await refused.told(refused.outcome({ kind: 'not-asked', cause: 'refused-by-gate' }));
    expect((await refused.story()).slice(3, 5)).toEqual(['AttemptNotAsked', 'NextAttemptChosen']);
    const world = new HeardScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = ({ key }) => {
      world.key = key;
      return Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } });
    };
    world.gate.onComplete = timedOut;
    await world.workOrder.work(world.stream);
    await world.returnPayer.payerReturned(world.stream, world.key, new Map());
    const story = await world.story();
    await world.told(world.outcome({ kind: 'not-asked', cause: 'refused-by-gate' }));
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    expect(await world.story()).toEqual(story);
    await world.told(world.outcome(approvedBy(world.key)));
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('takes the payer to the authentication where the gate tells so', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    expect(JSON.stringify(await world.lastData())).not.toContain('gate.example');
  });

  it('is said again by the gate where the log is away, and then recorded once', async () => {
    const world = await HeardScenario.open();
    world.store.isAway = true;
    world.reports = [world.outcome(approvedBy(world.key))];
    await expect(world.process.hearing.hear(SIM, { stream: world.stream, key: world.key }, REQUEST)).rejects.toThrow(StoreUnavailable);
    world.store.isAway = false;
    await world.told(...world.reports);
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('is recorded although the agenda is away, which is reported', async () => {
    const world = await HeardScenario.open();
    const away = new Error('away');
    world.onDue = () => Promise.reject(away);
    await world.told(world.outcome(approvedBy(world.key)));
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.errors).toEqual([away]);
  });
});

describe('a decline that a gate reports of an order that came with a CVV', () => {
  const withCvv = async (): Promise<HeardScenario> => {
    const world = new HeardScenario();
    await world.accept({ cvvHolder: HOLDER, gates: GATES });
    world.gate.onCharge = timedOut;
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await settle(20);
    world.key = world.gate.charges[0]?.key ?? world.key;
    return world;
  };
  const cvvOfOther = ({ otherGate }: HeardScenario) => otherGate.charges.map(({ cvv }) => cvv?.reveal());

  it('lets the process that holds the CVV ask the next gate, at once where it heard it, else at its next check', async () => {
    const here = await withCvv();
    await here.told(here.outcome(declinedBy(here.key, 100)));
    await here.cvvQueue.drained();
    expect([cvvOfOther(here), (await here.story()).at(-1)]).toEqual([['123'], 'OrderApproved']);
    const elsewhere = await withCvv();
    await elsewhere.toldTo(elsewhere.newProcess(), SIM, [elsewhere.outcome(declinedBy(elsewhere.key, 100))]);
    expect(cvvOfOther(elsewhere)).toEqual([]);
    await elsewhere.clock.advance(1_000);
    await elsewhere.cvvQueue.drained();
    expect([cvvOfOther(elsewhere), (await elsewhere.story()).at(-1)]).toEqual([['123'], 'OrderApproved']);
  });
});

describe('an outcome of a follow-up that a gate reports', () => {
  const REFUNDED = usd(500n);

  /** An approved order with a return that was sent under a key of its own, and whose outcome is open. */
  const returning = async (): Promise<HeardScenario> => {
    const world = new HeardScenario();
    world.key = OTHER_KEY;
    const order = sampleOrder({ acceptedAt: world.clock.now() });
    const events: readonly [PaymentEvent, ...PaymentEvent[]] = [
      { type: 'OrderAccepted', data: order },
      attemptEvents.started(),
      attemptEvents.approved(),
      finalEvents.approved(),
      followUpEvents.accepted({ amount: REFUNDED }),
      followUpEvents.started({ attemptKey: OTHER_KEY }),
    ];
    const envelope = {
      correlation: 'c',
      causation: 'c',
      actor: order.merchant,
      merchant: order.merchant,
      commandId: 'k',
      recordedAt: world.clock.now(),
    };
    await world.store.append(world.stream, 'no_stream', paymentCodec.encode(events, world.stream, 'no_stream', envelope));
    return world;
  };
  const after = async (world: HeardScenario): Promise<readonly string[]> => (await world.story()).slice(6);

  it('is recorded once, by the key of the follow-up, against what was sent under it', async () => {
    const world = await returning();
    let asked: SentRequest | SentFollowUp | undefined;
    const report = world.outcome((sent) => ((asked = sent), approvedBy(OTHER_KEY)));
    await world.told(report, report);
    expect(await after(world)).toEqual(['FollowUpApproved']);
    expect(asked).toMatchObject({ key: OTHER_KEY, operation: 'return', amount: REFUNDED, original: ATTEMPT_KEY });
    await world.told(world.outcome(declinedBy(OTHER_KEY)));
    expect(await after(world)).toEqual(['FollowUpApproved', 'LateFollowUpConflict']);
  });

  it('ends it without a movement where the gate refused it, and never takes a payer anywhere', async () => {
    const world = await returning();
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    expect([await after(world), world.heard]).toEqual([[], ['sim-a outcome undecided', 'sim-a hint due']]);
    await world.told(world.outcome({ kind: 'not-asked', cause: 'refused-by-gate' }));
    expect(await after(world)).toEqual(['FollowUpFailed']);
  });

  it('is hinted at by the key of the order itself, too', async () => {
    const world = await returning();
    await world.told({ kind: 'hint', key: ATTEMPT_KEY });
    expect([world.madeDue, world.heard]).toEqual([[world.stream], ['sim-a hint due']]);
  });

  it('is unknown from another gate', async () => {
    const world = await returning();
    await world.toldTo(world.process, OTHER_GATE, [world.outcome(approvedBy(OTHER_KEY), OTHER_KEY)], ATTEMPT_KEY);
    expect([await after(world), world.heard]).toEqual([[], ['sim-b outcome unknown']]);
  });
});

describe('an outcome that comes early (safety, F6)', () => {
  it('is kept while the log does not know its key, and recorded as soon as it does', async () => {
    const world = new HeardScenario();
    await world.accept();
    world.key = OTHER_KEY;
    await world.told(world.outcome(approvedBy(OTHER_KEY)));
    expect([await world.story(), world.heard]).toEqual([['OrderAccepted'], ['sim-a outcome early']]);
    const { claim } = await world.contexts.open(world.stream);
    const { amount, startedAt } = attemptEvents.started().data;
    await claim(
      { type: 'StartAttempt', receiptId: 'r', data: { key: OTHER_KEY, gate: SIM, amount, now: startedAt } },
      { correlation: 'c', causation: 'c', actor: 'orchestrator', merchant: 'acme' as never, commandId: 'k', recordedAt: startedAt },
    );
    await world.clock.advance(EARLY_KEPT_MS / 2);
    expect((await world.story()).slice(1)).toEqual(['AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.heard).toEqual(['sim-a outcome early', 'sim-a outcome recorded']);
    expect(world.clock.pending).toBe(0);
  });

  it('is given up with an alarm after 10 minutes, in which a log that is away counts as one that does not know it', async () => {
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

  it('is kept in a bounded number: the gate has to say one beyond it again', async () => {
    const world = await HeardScenario.open();
    world.key = OTHER_KEY;
    await world.told(...Array.from({ length: EARLY_REPORTS_MAX }, () => world.outcome(approvedBy(OTHER_KEY))));
    world.reports = [world.outcome(approvedBy(OTHER_KEY))];
    await expect(world.process.hearing.hear(SIM, { stream: world.stream, key: OTHER_KEY }, REQUEST)).rejects.toThrow(NoRoomForReport);
    expect(world.heard.at(-1)).toBe('sim-a outcome no-room');
    await world.process.hearing.stop();
    expect(world.clock.pending).toBe(0);
  });

  it('is kept where the log has no such order yet', async () => {
    const world = new HeardScenario();
    world.key = OTHER_KEY;
    await world.told(world.outcome(approvedBy(OTHER_KEY)));
    expect(world.heard).toEqual(['sim-a outcome early']);
    await world.process.hearing.stop();
  });
});

describe('an outcome that is none of this order (safety, F6)', () => {
  it.each<[string, (world: HeardScenario) => Promise<void>]>([
    ['of another order’s key', (world) => world.told(world.outcome(approvedBy(OTHER_KEY), OTHER_KEY))],
    ['of a key that is none', (world) => world.told(world.outcome(approvedBy(world.key), 'x'.repeat(10_000) as AttemptKey))],
  ])('unknown: %s, it is counted and changes nothing', async (_, tell) => {
    const world = await HeardScenario.open();
    await tell(world);
    await world.clock.advance(EARLY_KEPT_MS);
    expect([await world.story(), world.heard]).toEqual([OPEN, ['sim-a outcome unknown']]);
    expect(world.madeDue).toEqual([]);
  });

  it('unknown: from another gate than the one that was asked, it decides nothing', async () => {
    const world = await HeardScenario.open();
    await world.toldTo(world.process, OTHER_GATE, [world.outcome(approvedBy(world.key)), { kind: 'hint', key: world.key }]);
    expect(await world.story()).toEqual(OPEN);
    expect(world.heard).toEqual(['sim-b outcome early', 'sim-b hint unknown']);
    await world.process.hearing.stop();
  });

  it('unknown: at an address that names no order, whatever it says', async () => {
    const world = await HeardScenario.open();
    world.reports = [world.outcome(approvedBy(world.key)), { kind: 'hint', key: world.key }];
    await world.process.hearing.hear(SIM, undefined, REQUEST);
    expect(world.heard).toEqual(['sim-a outcome unknown', 'sim-a hint unknown']);
  });

  it('is not heard at a gate that does not listen, and none that is not configured', async () => {
    const world = await HeardScenario.open();
    delete world.gate.listening;
    expect(world.process.hearing.listens(SIM)).toBe(false);
    expect(await world.process.hearing.hear(SIM, undefined, REQUEST)).toBeUndefined();
    expect(world.heard).toEqual([]);
  });
});

describe('a hint that a gate may have given', () => {
  const hinted = (world: HeardScenario, key = world.key): Promise<void> => world.told({ kind: 'hint', key });

  it('makes the inquiry of its order due, and changes nothing', async () => {
    const world = await HeardScenario.open();
    await hinted(world);
    expect([await world.story(), world.madeDue, world.heard]).toEqual([OPEN, [world.stream], ['sim-a hint due']]);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    await hinted(world);
    expect(world.heard.at(-1)).toBe('sim-a hint nothing-open');
  });

  it('changes nothing where the key is unknown, or where orders do without the gate', async () => {
    const world = await HeardScenario.open();
    await hinted(world, OTHER_KEY);
    world.openCircuits.add(SIM);
    await hinted(world);
    expect([world.madeDue, world.heard]).toEqual([[], ['sim-a hint unknown', 'sim-a hint circuit-open']]);
  });

  it('is limited in rate, a gate by itself, in bounded memory', async () => {
    const world = await HeardScenario.open();
    const flood = Array.from({ length: 20 * HINTS_PER_SECOND_MAX }, (_, index) => ({
      kind: 'hint' as const,
      key: `key-${index}` as AttemptKey,
    }));
    const reads = world.store.reads;
    await world.told(...flood);
    await world.clock.advance(0);
    expect(world.store.reads - reads).toBeLessThanOrEqual(HINTS_PER_SECOND_MAX);
    expect(world.heard.filter((line) => line === 'sim-a hint limited')).toHaveLength(19 * HINTS_PER_SECOND_MAX);
    await hinted(world);
    expect(world.madeDue).toEqual([]);
    await world.clock.advance(1_000);
    await hinted(world);
    expect(world.madeDue).toEqual([world.stream]);
  });

  it('is lost where the log is away, which is reported: the order is inquired by its schedule', async () => {
    const world = await HeardScenario.open();
    world.store.isAway = true;
    await hinted(world);
    expect([world.heard, world.errors.length]).toEqual([['sim-a hint failed'], 1]);
  });
});

it('a charge names the address at which its gate tells what became of it, where the gate listens and nowhere else', async () => {
  const world = await HeardScenario.open();
  expect(world.gate.charges[0]?.notificationUrl).toBe(`https://gateway.example/gates/sim-a/${world.stream}/${world.key}`);
  const deaf = new OrderScenario();
  await deaf.accept();
  await deaf.workOrder.work(deaf.stream);
  expect(deaf.gate.charges[0]).not.toHaveProperty('notificationUrl');
});
