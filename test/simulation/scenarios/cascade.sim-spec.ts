import type { AttemptKey, GateAlias, MerchantLogin, Money } from '@app/kernel';
import type { ChargeAnswer, InquiryAnswer } from '@app/gateway-adapters/contract';
import { workLane } from '@app/order-processing';
import { sampleGate, settle, usd } from '@app/testing';
import fc from 'fast-check';
import { CVV, HOLDER, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy, type ScriptedGate } from './scripted-gate';

const SECOND_MS = 1_000;
const GATES = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
const LANE = workLane('acme' as MerchantLogin, 'sim-a' as GateAlias);
const REFUSED = ['AttemptStarted', 'AttemptDeclined', 'NextAttemptChosen'];

const unknown = (): Promise<ChargeAnswer> => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
const decline = (code: number) => (request: { readonly key: AttemptKey }) => Promise.resolve(declinedBy(request.key, code));

/** Does every step that is due now, like the reactors' runner over its memory. */
const workThrough = async (world: OrderScenario, rounds = 20): Promise<void> => {
  for (let round = 0; round < rounds; round++) await world.workOrder.work(world.stream);
};
const chargedAt = ({ gate, otherGate }: OrderScenario) => [gate.charges.length, otherGate.charges.length];

describe('a cascade', () => {
  it("asks the next gate after decline 100 under a key of its own, and ends with that gate's answer", async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = decline(100);
    await workThrough(world);
    expect(await world.story()).toEqual(['OrderAccepted', ...REFUSED, 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.gate.charges[0]?.key).not.toBe(world.otherGate.charges[0]?.key);
  });

  it('asks no other gate after another decline', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = decline(116);
    await workThrough(world);
    expect(chargedAt(world)).toEqual([1, 0]);
    expect((await world.story()).at(-1)).toBe('OrderDeclined');
  });

  it('skips a gate that cannot be asked, and one that lacks what the operation needs', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    await workThrough(world);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    const preauth = new OrderScenario();
    await preauth.accept({ gates: GATES, operation: 'preauth' });
    await workThrough(preauth);
    expect(chargedAt(preauth)).toEqual([0, 0]);
    expect(await preauth.lastData()).toMatchObject({ code: 122 });
  });

  it('asks each gate once, however many processes work on the order at once', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = decline(100);
    const workers = Array.from({ length: 10 }, () => world.newProcess().workOrder);
    for (let round = 0; round < 5; round++) await Promise.all(workers.map((worker) => worker.work(world.stream)));
    expect(chargedAt(world)).toEqual([1, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('stops at an unknown outcome until the gate declines, and then goes on', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = unknown;
    let dueAt = await world.workOrder.work(world.stream);
    world.gate.onInquiry = () => unknown() as Promise<InquiryAnswer>;
    for (let round = 0; round < 5 && dueAt !== undefined; round++) {
      await world.clock.advance(dueAt - world.clock.now());
      dueAt = await world.workOrder.work(world.stream);
      expect(chargedAt(world)).toEqual([1, 0]);
    }
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    await workThrough(world);
    expect(chargedAt(world)).toEqual([1, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('leaves the next attempt to the lane of its gate, and schedules nothing in the lane before', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = decline(100);
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(chargedAt(world)).toEqual([1, 0]);
  });
});

describe('enumerated amounts', () => {
  it('are tried one after another until one is approved', async () => {
    const world = new OrderScenario();
    await world.accept({ amounts: [usd(1_000n), usd(500n), usd(100n)] });
    world.gate.onCharge = ({ key, amount }) => Promise.resolve(amount.minor > 500n ? declinedBy(key) : approvedBy(key));
    await workThrough(world);
    expect(world.gate.charges.map(({ amount }) => amount.minor)).toEqual([1_000n, 500n]);
    expect(await world.lastData()).toMatchObject({ amount: { minor: '500' } });
  });

  it('go over all gates of an amount before the next amount, and stop at an unknown outcome', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES, amounts: [usd(1_000n), usd(500n)] });
    const asked: string[] = [];
    const note =
      (gate: ScriptedGate, answer: (key: AttemptKey, amount: Money) => Promise<ChargeAnswer>) =>
      ({ key, amount }: { readonly key: AttemptKey; readonly amount: Money }) => {
        asked.push(`${gate.profile.alias} ${amount.minor}`);
        return answer(key, amount);
      };
    world.gate.onCharge = note(world.gate, (key) => Promise.resolve(declinedBy(key, 100)));
    world.otherGate.onCharge = note(world.otherGate, (key, { minor }) =>
      minor === 1_000n ? Promise.resolve(declinedBy(key, 116)) : unknown(),
    );
    await workThrough(world);
    expect(asked).toEqual(['sim-a 1000', 'sim-b 1000', 'sim-a 500', 'sim-b 500']);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
  });
});

describe('a cascade under random answers', () => {
  const answer = fc.constantFrom('approved', 'declined 100', 'declined 116', 'unavailable', 'unknown, approved', 'unknown, declined 100');
  const answerOf = (outcome: string, key: AttemptKey): ChargeAnswer => {
    const [kind, code] = outcome.split(' ');
    if (kind === 'declined') return declinedBy(key, Number(code));
    return kind === 'approved' ? approvedBy(key) : { kind: 'not-asked', cause: 'unavailable' };
  };

  it('asks nothing on an unknown outcome, has at most one approved charge, and ends the order with the last answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 6, maxLength: 6 }), fc.boolean(), async (answers, hasAmounts) => {
        const world = new OrderScenario();
        await world.accept({ gates: GATES, ...(hasAmounts && { amounts: [usd(3n), usd(2n), usd(1n)] }) });
        let isMaybe = false;
        let approvals = 0;
        const settled = new Map<AttemptKey, string>();
        let turn = 0;
        for (const gate of [world.gate, world.otherGate]) {
          gate.onCharge = ({ key }) => {
            expect([isMaybe, approvals]).toEqual([false, 0]);
            const [outcome = '', later] = (answers[turn++] ?? 'unavailable').split(', ');
            if (later !== undefined) {
              isMaybe = true;
              settled.set(key, later);
              return unknown();
            }
            if (outcome === 'approved') approvals += 1;
            return Promise.resolve(answerOf(outcome, key));
          };
          gate.onInquiry = (key) => {
            const later = settled.get(key) ?? '';
            isMaybe = false;
            if (later === 'approved') approvals += 1;
            return Promise.resolve(answerOf(later, key) as InquiryAnswer);
          };
        }
        for (let round = 0; round < 30; round++) {
          const dueAt = await world.workOrder.work(world.stream);
          if (dueAt !== undefined && dueAt > world.clock.now()) await world.clock.advance(dueAt - world.clock.now());
        }
        const end = (await world.story()).at(-1);
        expect(end).toBe(approvals === 1 ? 'OrderApproved' : (await world.lastData())['code'] === 122 ? 'OrderFailed' : 'OrderDeclined');
      }),
      { numRuns: 150 },
    );
  });
});

describe('a cascade of an order that came with a CVV (architecture, rule 5)', () => {
  const withCvv = async (): Promise<OrderScenario> => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER, gates: GATES });
    return world;
  };
  const submit = (world: OrderScenario): void => world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
  const cvvsOf = ({ charges }: ScriptedGate) => charges.map(({ cvv }) => cvv?.reveal());

  it('hands the CVV to each gate that is asked, and releases it at the end', async () => {
    const world = await withCvv();
    world.gate.onCharge = decline(100);
    submit(world);
    await world.cvvQueue.drained();
    expect([cvvsOf(world.gate), cvvsOf(world.otherGate)]).toEqual([['123'], ['123']]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.cvvQueue.held).toBe(0);
  });

  it('keeps the CVV while an outcome is unknown, and goes on at once when this process records the outcome', async () => {
    const world = await withCvv();
    world.gate.onCharge = unknown;
    submit(world);
    await settle(20);
    expect(world.cvvQueue.held).toBe(1);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    await world.workOrder.work(world.stream);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('notices at a check what another process recorded', async () => {
    const world = await withCvv();
    world.gate.onCharge = unknown;
    submit(world);
    await settle(20);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    await world.newProcess().workOrder.work(world.stream);
    expect(cvvsOf(world.otherGate)).toEqual([]);
    await world.clock.advance(SECOND_MS);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });

  it("checks a few times only, and releases the CVV 60 seconds after the gate's last answer: the order then ends with the last decline", async () => {
    const world = await withCvv();
    world.gate.onCharge = unknown;
    submit(world);
    await settle(20);
    const reads = world.store.reads;
    await world.clock.advance(59 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    await world.clock.advance(SECOND_MS);
    expect(world.cvvQueue.held).toBe(0);
    expect(world.store.reads - reads).toBe(5);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    const { workOrder } = world.newProcess();
    const dueAt = (await workOrder.work(world.stream)) ?? 0;
    expect(dueAt - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(60 * SECOND_MS);
    await workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptDeclined', 'NextAttemptChosen', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 100 });
    expect(chargedAt(world)).toEqual([1, 0]);
  });

  it('counts the 60 seconds again from each answer of the gate', async () => {
    const world = await withCvv();
    const page = { action: 'https://acs.example/', fields: {} };
    world.gate.onCharge = () => Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page });
    submit(world);
    await world.clock.advance(50 * SECOND_MS);
    const key = world.gate.charges[0]?.key ?? ('' as AttemptKey);
    world.gate.onComplete = unknown;
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(50 * SECOND_MS);
    expect(world.cvvQueue.held).toBe(1);
    world.gate.onInquiry = () => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    await world.workOrder.work(world.stream);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });

  it('keeps no CVV for an order of one gate, because no attempt can follow', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.gate.onCharge = unknown;
    submit(world);
    await world.cvvQueue.drained();
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
  });

  it('ends with the last decline at once when the holder of the CVV is known to be gone', async () => {
    const world = await withCvv();
    world.gate.onCharge = decline(100);
    // The holder dies between its two attempts.
    world.otherGate.onCharge = () => new Promise(() => undefined);
    const append = world.store.append.bind(world.store);
    world.store.append = async (stream, expected, events) => {
      if (events[0].type === 'AttemptStarted' && world.gate.charges.length === 1) return new Promise(() => undefined);
      return append(stream, expected, events);
    };
    submit(world);
    await settle(20);
    world.store.append = append;
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['AttemptDeclined', 'NextAttemptChosen', 'OrderDeclined']);
    expect(chargedAt(world)).toEqual([1, 0]);
  });

  it('waits in the lane of its next gate, so that a silent gate holds up no other', async () => {
    const world = await withCvv();
    world.gate.onCharge = decline(100);
    world.otherGate.onCharge = () => new Promise(() => undefined);
    submit(world);
    await settle(20);
    expect(chargedAt(world)).toEqual([1, 1]);
    expect(world.cvvQueue.hasRoomIn(LANE)).toBe(true);
    expect(world.cvvQueue.held).toBe(1);
  });

  it('checks again after the store was away', async () => {
    const world = await withCvv();
    world.gate.onCharge = unknown;
    submit(world);
    await settle(20);
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100) as InquiryAnswer);
    await world.newProcess().workOrder.work(world.stream);
    world.store.isAway = true;
    await world.clock.advance(2 * SECOND_MS);
    world.store.isAway = false;
    await world.clock.advance(SECOND_MS);
    await world.cvvQueue.drained();
    expect(cvvsOf(world.otherGate)).toEqual(['123']);
  });
});

describe('an order whose outcome a person resolves', () => {
  const REASON = 'the acquirer’s back office shows the transaction';

  it("ends with the decision under the person's name, with the grounds sealed, and the gates are asked no more", async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = unknown;
    await world.workOrder.work(world.stream);
    await expect(world.resolveUnknownOutcome.resolve(world.stream, 'approved', REASON, { actor: 'operator:jane' })).resolves.toMatchObject({
      kind: 'resolved',
    });
    const [, , , settled, end] = await world.stored();
    expect([settled?.type, end?.type]).toEqual(['AttemptSettled', 'OrderApproved']);
    expect(settled?.metadata).toContain('"actor":"operator:jane"');
    expect(settled?.data).toContain('sealed:settlement-reason');
    expect(settled?.data).not.toContain('back office');
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(chargedAt(world)).toEqual([1, 0]);
  });

  it('is resolved once: a second decision is refused, and so is one about an order without an open outcome', async () => {
    const world = new OrderScenario();
    await world.accept();
    await expect(world.resolveUnknownOutcome.resolve(world.stream, 'declined', REASON, { actor: 'jane' })).resolves.toEqual({
      kind: 'refused',
      reason: 'nothing-to-resolve',
    });
    world.gate.onCharge = unknown;
    await world.workOrder.work(world.stream);
    await world.resolveUnknownOutcome.resolve(world.stream, 'declined', REASON, { actor: 'jane' });
    await expect(world.resolveUnknownOutcome.resolve(world.stream, 'approved', REASON, { actor: 'jane' })).resolves.toEqual({
      kind: 'refused',
      reason: 'order-final',
    });
    expect((await world.story()).slice(3)).toEqual(['AttemptSettled', 'OrderDeclined']);
  });

  it("keeps the gate's answer where the gate was faster", async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = unknown;
    await world.workOrder.work(world.stream);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as InquiryAnswer);
    world.store.stumble({ kind: 'rival', write: () => world.newProcess().workOrder.work(world.stream) });
    const resolving = world.resolveUnknownOutcome.resolve(world.stream, 'declined', REASON, { actor: 'jane' });
    await world.clock.advance(SECOND_MS);
    await expect(resolving).resolves.toEqual({ kind: 'refused', reason: 'order-final' });
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is not resolved before anything was asked, nor after an end without an attempt', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    await expect(world.resolveUnknownOutcome.resolve(world.stream, 'declined', REASON, { actor: 'jane' })).resolves.toEqual({
      kind: 'refused',
      reason: 'order-final',
    });
  });
});
