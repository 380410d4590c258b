import type { AttemptKey, CardRefId, ClientOrderId, GateAlias, MerchantLogin } from '@app/kernel';
import { HELD_PER_LANE_MAX, SUBMITS_PER_LANE_MAX, workLane } from '@app/order-processing';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '@app/order-processing/domain';
import { recurringCodec, recurringStream, type RecurrentMarks } from '@app/recurring';
import { sampleGate, sampleOrder, settle } from '@app/testing';
import { CVV, HOLDER, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const LANE = workLane('acme' as MerchantLogin, 'sim-a' as GateAlias);
const OTHER_LANE = workLane('acme' as MerchantLogin, 'sim-b' as GateAlias);

describe('submitting an order', () => {
  it('records the intent before the gate is asked, and the outcome with the end', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = async ({ key }) => {
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
      return approvedBy(key);
    };
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('charges once, however many processes submit', async () => {
    const world = new OrderScenario();
    await world.accept();
    await Promise.all(Array.from({ length: 20 }, () => world.workOrder.work(world.stream)));
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('ends declined with the issuer’s reason', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = ({ key }) => Promise.resolve(declinedBy(key));
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptDeclined', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 116 });
  });

  it('ends with 122 where the gate could not be asked', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 122 });
  });

  it('starts nothing while the vault is away, and goes on when it is back', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.vault.state = 'away';
    await expect(world.workOrder.work(world.stream)).rejects.toThrow('away');
    expect(await world.story()).toEqual(['OrderAccepted']);
    world.vault.state = 'open';
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
  });

  it('charges nothing for a card that was shredded', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.vault.state = 'erased';
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
  });

  it('asks the gate once although the answer to its claim was lost (safety, F12)', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble({ kind: 'stored-answer-lost' }, { kind: 'not-stored-answer-lost' });
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('does not ask the gate where another process claimed while the answer to its claim was lost', async () => {
    const world = new OrderScenario();
    await world.accept();
    const rival = async () => expect((await world.newProcess().workOrder.work(world.stream)) ?? 'done').toBe('done');
    world.store.stumble({ kind: 'not-stored-answer-lost' }, { kind: 'rival', write: rival });
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('asks the gate once although every answer to its claim was lost, because the log shows that the claim is its own', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble(...Array.from({ length: 3 }, () => ({ kind: 'stored-answer-lost' as const })));
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('sends nothing where the claim whose answers were lost is not in the log, and is due again', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble(...Array.from({ length: 3 }, () => ({ kind: 'not-stored-answer-lost' as const })));
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted']);
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
  });

  it('gives the gate the return address for the payer of an initial payment', async () => {
    const world = new OrderScenario();
    await world.accept();
    await world.workOrder.work(world.stream);
    expect(world.gate.charges[0]).toMatchObject({ payerReturnUrl: expect.stringContaining(world.stream) as string });
  });

  it.each<RecurrentMarks>([{}, { scenario: 'REGULAR' }, { initiator: 'CARDHOLDER' }, { scenario: 'IRREGULAR', initiator: 'MERCHANT' }])(
    'gives the gate the scenario and initiator of a recurrent payment, and no return address because no payer is present: %o',
    async (marks) => {
      const world = new OrderScenario();
      const order = sampleOrder({ acceptedAt: world.clock.now() });
      const { merchant } = order;
      const stream = recurringStream(merchant, order.clientOrderId);
      const accepted = { type: 'OrderAccepted' as const, data: { ...order, cardRefId: 'a0sample0reference0c' as CardRefId, marks } };
      const serial = '00000000-0000-0000-0000-000000000001';
      const envelope = {
        correlation: serial,
        causation: serial,
        actor: merchant,
        merchant,
        commandId: serial,
        recordedAt: world.clock.now(),
      };
      await world.store.append(stream, 'no_stream', recurringCodec.encode([accepted], stream, 'no_stream', envelope));
      await world.workOrder.work(stream);
      expect(world.gate.charges).toHaveLength(1);
      expect(world.gate.charges[0]?.recurrent).toStrictEqual(marks);
      expect(world.gate.charges[0]).not.toHaveProperty('payerReturnUrl');
    },
  );
});

describe('an unknown outcome (safety, F1 to F3)', () => {
  it('follows from a throw of the adapter and from a lost answer; it is asked about, never resent', async () => {
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

  it('follows from a silence of 30 seconds (safety, F5)', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => new Promise(() => undefined);
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(30 * SECOND_MS);
    await working;
    expect(await world.lastData()).toMatchObject({ cause: 'timeout' });
  });

  it('is not ended by a "not found" while the charge may still be in flight, and is afterwards: 121, nothing charged', async () => {
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

  it('never fails by its age, and is asked about hourly in the end', async () => {
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

  it('takes a later answer that contradicts the end on record once, and changes nothing by it (I4)', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    };
    await world.workOrder.work(world.stream);
    // Two inquiries at once get different answers: the first to be recorded counts.
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

describe('an order that came with a CVV (architecture, rule 5)', () => {
  it('is submitted by the process that holds it, once', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.gate.charges.map(({ cvv }) => cvv?.reveal())).toEqual(['123']);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.cvvQueue.held).toBe(0);
  });

  it('is never submitted without it: it ends with 121 at once where its holder is gone', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await expect(world.newProcess().workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
  });

  it('is left to its holder for 60 seconds, then ended by any process', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    const dueAt = await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted']);
    expect((dueAt ?? 0) - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(60 * SECOND_MS);
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'OrderFailed']);
  });

  it('is not charged by a holder that comes after it was ended', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.gate.charges).toHaveLength(0);
  });
});

describe('the CVV submit queue', () => {
  const ordersAt = async (world: OrderScenario, alias: string, lane: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const plan = { cvvHolder: HOLDER, gates: [sampleGate({ alias: alias as GateAlias })] as const };
      const stream = await world.accept(plan, `${alias}-${number}` as ClientOrderId);
      world.cvvQueue.submitSoon({ lane, stream, cvv: CVV });
    }
  };

  it('lets no order wait for the silent gate of another (architecture, rule 9)', async () => {
    const world = new OrderScenario();
    world.gate.onCharge = () => new Promise(() => undefined);
    await ordersAt(world, 'sim-a', LANE, SUBMITS_PER_LANE_MAX + 5);
    await ordersAt(world, 'sim-b', OTHER_LANE, 3);
    await settle(20);
    expect(world.gate.charges).toHaveLength(SUBMITS_PER_LANE_MAX);
    expect(world.otherGate.charges).toHaveLength(3);
    expect(world.cvvQueue.held).toBe(SUBMITS_PER_LANE_MAX + 5);
  });

  it('has room for a limited number of a lane, and for those of another beside them', async () => {
    const world = new OrderScenario();
    world.gate.onCharge = () => new Promise(() => undefined);
    const stream = await world.accept({ cvvHolder: HOLDER });
    for (let number = 1; number < HELD_PER_LANE_MAX; number++) world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(true);
    world.cvvQueue.submitSoon({ lane: LANE, stream, cvv: CVV });
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(false);
    expect(world.cvvQueue.hasRoomIn(OTHER_LANE)).toBe(true);
  });

  it('notifies every waiter when it is drained', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await expect(Promise.all([world.cvvQueue.drained(), world.cvvQueue.drained()])).resolves.toHaveLength(2);
    await expect(world.cvvQueue.drained()).resolves.toBeUndefined();
  });

  it('retries what failed before its claim, while the store and then the vault are away for a moment', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.store.isAway = true;
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(20 * SECOND_MS);
    world.store.isAway = false;
    world.vault.state = 'away';
    await world.clock.advance(20 * SECOND_MS);
    expect(world.gate.charges).toHaveLength(0);
    expect(world.cvvQueue.held).toBe(1);
    world.vault.state = 'open';
    await world.clock.advance(5 * SECOND_MS);
    expect(world.gate.charges.map(({ cvv }) => cvv?.reveal())).toEqual(['123']);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.cvvQueue.held).toBe(0);
    expect(world.errors.length).toBeGreaterThan(1);
  });

  it('asks the gate once, although the answer to its claim stayed lost or the outcome could not be recorded', async () => {
    const lost = { kind: 'stored-answer-lost' as const };
    for (const stumbles of [
      [lost, lost, lost],
      [{ kind: 'rival' as const, write: () => Promise.resolve() }, { kind: 'refused' as const }],
    ]) {
      const world = new OrderScenario();
      await world.accept({ cvvHolder: HOLDER });
      world.store.stumble(...stumbles);
      world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
      await world.clock.advance(60 * SECOND_MS);
      const begun = ['OrderAccepted', 'AttemptStarted'];
      expect(await world.story()).toEqual(stumbles.length === 3 ? [...begun, 'AttemptApproved', 'OrderApproved'] : begun);
      expect(world.gate.charges).toHaveLength(1);
      expect(world.cvvQueue.held).toBe(0);
    }
  });

  it('releases a CVV after 60 seconds, when any process may end its order', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.store.isAway = true;
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(54 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    await world.clock.advance(6 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(0);
    const tried = world.store.reads;
    world.store.isAway = false;
    await world.clock.advance(60 * SECOND_MS);
    expect(world.store.reads).toBe(tried);
    expect(world.gate.charges).toHaveLength(0);
  });

  it('keeps nothing of an order that cannot be read, and reports it', async () => {
    const world = new OrderScenario();
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(world.errors).toHaveLength(1);
    expect(world.cvvQueue.held).toBe(0);
  });
});

describe('3-D Secure (architecture, rule 12)', () => {
  const challenged = async (): Promise<{ world: OrderScenario; key: AttemptKey }> => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({
        kind: 'payer-needed',
        transactionId: 'tx',
        page: { action: 'https://acs.example/', fields: { PaReq: 'x' } },
      });
    };
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'PayerChallenged']);
    return { world, key };
  };

  it('notifies the gate once that the payer is back, and only after that is durable', async () => {
    const { world, key } = await challenged();
    world.gate.onComplete = async () => {
      expect((await world.story()).at(-1)).toBe('PayerReturned');
      return approvedBy(key);
    };
    await Promise.all(Array.from({ length: 10 }, () => world.returnPayer.payerReturned(world.stream, key, new Map())));
    expect(world.gate.completions).toEqual([key]);
    expect((await world.story()).slice(3)).toEqual(['PayerReturned', 'AttemptApproved', 'OrderApproved']);
  });

  it('knows no attempt by another key', async () => {
    const { world } = await challenged();
    await expect(world.returnPayer.payerReturned(world.stream, 'other' as AttemptKey, new Map())).resolves.toBe('unknown-attempt');
    expect(world.gate.completions).toEqual([]);
  });

  it('declines a payer who did not come back in 15 minutes, and accepts no return after that', async () => {
    const { world, key } = await challenged();
    await world.clock.advance(900_000 - 1);
    await world.workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    await world.clock.advance(1);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptDeclined', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    expect(world.gate.completions).toEqual([]);
  });

  it('asks the gate, and does not notify it again, after a crash between the return and the gate', async () => {
    const { world, key } = await challenged();
    world.gate.onComplete = () => new Promise(() => undefined); // the process dies here
    void world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(0);
    expect((await world.story()).at(-1)).toBe('PayerReturned');
    world.gate.onInquiry = () =>
      Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
    const { workOrder } = world.newProcess();
    await workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('PayerReturned');
    await world.clock.advance(LEAVES_WITHIN_MS + GATE_TIMEOUT_MS + 5_000);
    await workOrder.work(world.stream);
    expect((await world.story()).slice(-2)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect(world.gate.completions).toEqual([key]);
  });

  it('schedules another check within a minute, because the payer may come back while that is being written down', async () => {
    const { world } = await challenged();
    const dueAt = await world.workOrder.work(world.stream);
    expect((dueAt ?? 0) - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(900_000 - 10 * SECOND_MS);
    const lastDueAt = await world.workOrder.work(world.stream);
    expect((lastDueAt ?? 0) - world.clock.now()).toBe(10 * SECOND_MS);
  });

  it('is not ended by an inquiry about its first leg while the second one is in flight', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    };
    await world.workOrder.work(world.stream);
    await world.clock.advance(6 * SECOND_MS);
    // Asked in the first leg, and answered "not found" when another inquiry has found the challenge and the payer is back.
    let answer: () => void = () => undefined;
    world.gate.onInquiry = () => new Promise((resolve) => (answer = () => resolve({ kind: 'not-found' })));
    const late = world.newProcess().workOrder.work(world.stream);
    await world.clock.advance(0);
    world.gate.onInquiry = () =>
      Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
    await world.workOrder.work(world.stream);
    let complete: () => void = () => undefined;
    world.gate.onComplete = () => new Promise((resolve) => (complete = () => resolve(approvedBy(key))));
    const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(0);
    const flying = ['OrderAccepted', 'AttemptStarted', 'AttemptUnknown', 'PayerChallenged', 'PayerReturned'];
    expect(await world.story()).toEqual(flying);
    answer();
    await world.clock.advance(SECOND_MS);
    await late;
    expect(await world.story()).toEqual(flying);
    complete();
    await returning;
    expect(await world.story()).toEqual([...flying, 'AttemptApproved', 'OrderApproved']);
  });

  it('seals the payer’s page', async () => {
    const { world } = await challenged();
    const [, , challenge] = await world.stored();
    expect(challenge?.data).not.toContain('acs.example');
  });
});
