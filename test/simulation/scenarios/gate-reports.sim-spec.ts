import { StoreUnavailable } from '@app/event-store';
import type { Approved, GateReport, InquiryAnswer, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import { sleep } from '@app/kernel';
import { EARLY_KEPT_MS } from '@app/orders';
import { paymentCodec } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { ATTEMPT_KEY, attemptEvents, finalEvents, followUpEvents, OTHER_KEY, sampleOrder, settle, usd } from '@app/testing';
import { HeardScenario, OPEN, OTHER_GATE, REQUEST, SIM } from './notification-scenario';
import { CVV, GATES, HOLDER, LANE, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy, declining, timedOut } from './scripted-gate';

describe('a brief outcome report from a gate', () => {
  const WHOLE = { payerAuthentication: 'AUTHENTICATED', eci: '05' } as const;
  const approvalIn = async (world: HeardScenario): Promise<unknown> => {
    const approved = (await world.stored()).find(({ type }) => type === 'AttemptApproved');
    return (JSON.parse(approved?.data ?? '{}') as { readonly receipt?: unknown }).receipt;
  };
  const briefly = (world: HeardScenario, answer: InquiryAnswer = approvedBy(world.key)): GateReport => ({
    kind: 'outcome',
    key: world.key,
    answerTo: () => answer,
    isSummary: true,
  });

  it('is recorded with the details of one status inquiry by the reported gate order id [W508]', async () => {
    const world = await HeardScenario.open();
    world.gate.onInquiry = (key) => Promise.resolve({ ...approvedBy(key), ...WHOLE });
    await world.told(briefly(world, { ...approvedBy(world.key), gateOrderId: '1000000007' }));
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(await approvalIn(world)).toMatchObject(WHOLE);
    expect(world.gate.questions.map(({ gateOrderId }) => gateOrderId)).toEqual(['1000000007']);
    expect(world.heard).toEqual(['sim-a outcome recorded']);
  });

  it('waits for a status that lags behind it', async () => {
    const world = await HeardScenario.open();
    let asked = 0;
    world.gate.onInquiry = (key) =>
      Promise.resolve(asked++ < 2 ? { kind: 'unknown', cause: 'gate-undecided' } : { ...approvedBy(key), ...WHOLE });
    await Promise.all([world.told(briefly(world)), world.clock.advance(5_000)]);
    expect(await approvalIn(world)).toMatchObject(WHOLE);
    expect(world.gate.questions).toHaveLength(3);
  });

  it.each<[string, () => Promise<InquiryAnswer>]>([
    ['is silent', () => new Promise(() => undefined)],
    ['throws', () => Promise.reject(new Error('socket hang up'))],
    ['does not know the order', () => Promise.resolve({ kind: 'not-found' })],
    ['has not decided', () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' })],
  ])('ends the order without the status if the status %s for 5 seconds [W508]', async (_, onInquiry) => {
    const world = await HeardScenario.open();
    world.gate.onInquiry = onInquiry;
    const telling = world.told(briefly(world));
    await world.clock.advance(3_900);
    expect(await world.story()).toEqual(OPEN);
    await Promise.all([telling, world.clock.advance(1_100)]);
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(await approvalIn(world)).not.toMatchObject(WHOLE);
  });

  it.each<[string, (key: string) => InquiryAnswer, (key: string) => InquiryAnswer, readonly string[]]>([
    ['a decline in the status', approvedBy, (key) => declinedBy(key, 100), ['LateResultConflict']],
    ['a status by which nothing was charged', approvedBy, () => ({ kind: 'not-asked', cause: 'unavailable' }), []],
    ['a decline in the report', (key) => declinedBy(key, 100), approvedBy, ['LateResultConflict']],
  ])('approves the order in spite of %s, because a cascade would charge at another gate', async (_, told, status, conflicts) => {
    const world = await HeardScenario.open();
    world.gate.onInquiry = (key) => Promise.resolve(status(key));
    await world.told(briefly(world, told(world.key)));
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved', ...conflicts]);
  });

  it('is recorded as contradicted if a later status differs', async () => {
    const world = await HeardScenario.open();
    world.gate.onInquiry = async (key) => {
      await sleep(world.clock, 6_000);
      return declinedBy(key);
    };
    await Promise.all([world.told(briefly(world)), world.clock.advance(6_000)]);
    await settle();
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved', 'LateResultConflict']);
  });

  it('causes at most 32 concurrent inquiries at a gate for many reports', async () => {
    const world = await HeardScenario.open();
    world.gate.onInquiry = () => new Promise(() => undefined);
    const reports = Array.from({ length: 40 }, () => world.told(briefly(world)));
    await Promise.all([...reports, world.clock.advance(5_000)]);
    expect(world.gate.questions).toHaveLength(32);
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
  });

  it('causes no inquiry for an ended order, and a contradiction is recorded', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(approvedBy(world.key)));
    await world.told(briefly(world), briefly(world, declinedBy(world.key)));
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved', 'LateResultConflict']);
    expect(world.gate.questions).toEqual([]);
  });
});

describe('an authenticated outcome report from a gate (safety, F6)', () => {
  it('ends the order like an inquiry, and schedules it for its workers at once', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(approvedBy(world.key)));
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(world.gate.inquiries).toEqual([]);
    expect(world.heard).toEqual(['sim-a outcome recorded']);
    expect(world.madeDue).toEqual([world.stream]);
  });

  it('ends the order during the open call, whose later response adds nothing', async () => {
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

  it('continues the cascade at the next gate if it is a decline that allows it', async () => {
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

  it('is recorded once for any number of repeats and processes', async () => {
    const world = await HeardScenario.open();
    const processes = [world.process, world.newProcess(), world.newProcess()];
    const report = world.outcome(approvedBy(world.key));
    const telling = processes.map((process) => world.toldTo(process, SIM, [report, report]));
    await Promise.all([...telling, world.clock.advance(1_000)]);
    expect(await world.story()).toEqual([...OPEN, 'AttemptApproved', 'OrderApproved']);
    expect(world.heard.filter((line) => line === 'sim-a outcome recorded')).toHaveLength(1);
    expect(world.heard.filter((line) => line === 'sim-a outcome nothing-new')).toHaveLength(5);
  });

  it('changes nothing after an outcome, and a contradiction is recorded', async () => {
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

  it('records a conflict if it approves an attempt that was declined and followed by another', async () => {
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

  it('decides nothing if its amount differs, and the gate is inquired instead', async () => {
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
  ])('changes nothing if the gate %s', async (_, answer) => {
    const world = await HeardScenario.open();
    await world.told(world.outcome(answer));
    await world.clock.advance(EARLY_KEPT_MS);
    expect(await world.story()).toEqual(OPEN);
  });

  it("continues the cascade if the gate refused the request, but not after the payer's return", async () => {
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

  it('sends the payer to authentication if the gate asks for it, with the page sealed', async () => {
    const world = await HeardScenario.open();
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    expect(JSON.stringify(await world.lastData())).not.toContain('gate.example');
  });

  it('is refused while the log is away, and recorded once when the gate repeats it', async () => {
    const world = await HeardScenario.open();
    world.store.isAway = true;
    world.reports = [world.outcome(approvedBy(world.key))];
    await expect(
      world.process.hearing.hear({ gate: SIM, notified: { stream: world.stream, key: world.key }, request: REQUEST }),
    ).rejects.toThrow(StoreUnavailable);
    world.store.isAway = false;
    await world.told(...world.reports);
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('is recorded even if scheduling its order fails, and the failure is reported', async () => {
    const world = await HeardScenario.open();
    const away = new Error('away');
    world.onDue = () => Promise.reject(away);
    await world.told(world.outcome(approvedBy(world.key)));
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.errors).toEqual([away]);
  });
});

describe('a reported decline of an order with a CVV', () => {
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

  it("lets the CVV's holder ask the next gate, at once or at its next check if another process received it", async () => {
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

describe('a reported outcome of a follow-up', () => {
  const REFUNDED = usd(500n);

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

  it("is recorded once under the follow-up's key, and matched against the sent request", async () => {
    const world = await returning();
    let asked: SentRequest | SentFollowUp | undefined;
    const report = world.outcome((sent) => ((asked = sent), approvedBy(OTHER_KEY)));
    await world.told(report, report);
    expect(await after(world)).toEqual(['FollowUpApproved']);
    expect(asked).toMatchObject({ key: OTHER_KEY, operation: 'return', amount: REFUNDED, original: ATTEMPT_KEY });
    await world.told(world.outcome(declinedBy(OTHER_KEY)));
    expect(await after(world)).toEqual(['FollowUpApproved', 'LateFollowUpConflict']);
  });

  it('ends the follow-up without a movement if the gate refused it, and never challenges a payer', async () => {
    const world = await returning();
    await world.told(world.outcome({ kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/1' } }));
    expect([await after(world), world.heard]).toEqual([[], ['sim-a outcome undecided', 'sim-a hint due']]);
    await world.told(world.outcome({ kind: 'not-asked', cause: 'refused-by-gate' }));
    expect(await after(world)).toEqual(['FollowUpFailed']);
  });

  it('may be hinted at by the key of the order itself', async () => {
    const world = await returning();
    await world.told({ kind: 'hint', key: ATTEMPT_KEY });
    expect([world.madeDue, world.heard]).toEqual([[world.stream], ['sim-a hint due']]);
  });

  it('is unknown if reported by another gate', async () => {
    const world = await returning();
    await world.toldTo(world.process, OTHER_GATE, [world.outcome(approvedBy(OTHER_KEY), OTHER_KEY)], ATTEMPT_KEY);
    expect([await after(world), world.heard]).toEqual([[], ['sim-b outcome unknown']]);
  });
});

it('a charge contains a notification address only if its gate supports notifications', async () => {
  const world = await HeardScenario.open();
  expect(world.gate.charges[0]?.notificationUrl).toBe(`https://gateway.example/gates/sim-a/${world.stream}/${world.key}`);
  const deaf = new OrderScenario();
  await deaf.accept();
  await deaf.workOrder.work(deaf.stream);
  expect(deaf.gate.charges[0]).not.toHaveProperty('notificationUrl');
});
