import type { AttemptKey, Money } from '@app/kernel';
import type { ChargeAnswer, InquiryAnswer } from '@app/gateway-adapters/contract';
import { usd } from '@app/testing';
import fc from 'fast-check';
import { GATES, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy, declining, type ScriptedGate, timedOut } from './scripted-gate';

const REFUSED = ['AttemptStarted', 'AttemptDeclined', 'NextAttemptChosen'];

const workThrough = async (world: OrderScenario, rounds = 20): Promise<void> => {
  for (let round = 0; round < rounds; round++) await world.workOrder.work(world.stream);
};

describe('a cascade', () => {
  it("asks the next gate after decline 100 under a new key, and ends with that gate's answer", async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = declining(100);
    await workThrough(world);
    expect(await world.story()).toEqual(['OrderAccepted', ...REFUSED, 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.gate.charges[0]?.key).not.toBe(world.otherGate.charges[0]?.key);
  });

  it('asks no other gate after any other decline', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = declining(116);
    await workThrough(world);
    expect(world.charged).toEqual([1, 0]);
    expect((await world.story()).at(-1)).toBe('OrderDeclined');
  });

  it('skips an unavailable gate and a gate without the required capability', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    await workThrough(world);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    const preauth = new OrderScenario();
    await preauth.accept({ gates: GATES, operation: 'preauth' });
    await workThrough(preauth);
    expect(preauth.charged).toEqual([0, 0]);
    expect(await preauth.lastData()).toMatchObject({ code: 122 });
  });

  it('asks each gate once for any number of concurrent processes', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = declining(100);
    const workers = Array.from({ length: 10 }, () => world.newProcess().workOrder);
    for (let round = 0; round < 5; round++) await Promise.all(workers.map((worker) => worker.work(world.stream)));
    expect(world.charged).toEqual([1, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('stops at an unknown outcome, and continues after the gate declines', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = timedOut;
    let dueAt = await world.workOrder.work(world.stream);
    world.gate.onInquiry = () => timedOut();
    for (let round = 0; round < 5; round++) {
      await world.clock.advance((dueAt ?? 0) - world.clock.now());
      dueAt = await world.workOrder.work(world.stream);
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
      expect(world.charged).toEqual([1, 0]);
    }
    world.gate.onInquiry = (key) => Promise.resolve(declinedBy(key, 100));
    await workThrough(world);
    expect(world.charged).toEqual([1, 1]);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('leaves the next attempt to the lane of its gate and schedules nothing in the current lane', async () => {
    const world = new OrderScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = declining(100);
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(world.charged).toEqual([1, 0]);
  });
});

describe('enumerated amounts', () => {
  it('are tried in order until one is approved [W19, W354]', async () => {
    const world = new OrderScenario();
    await world.accept({ amounts: [usd(1_000n), usd(500n), usd(100n)] });
    world.gate.onCharge = ({ key, amount }) => Promise.resolve(amount.minor > 500n ? declinedBy(key) : approvedBy(key));
    await workThrough(world);
    expect(world.gate.charges.map(({ amount }) => amount.minor)).toEqual([1_000n, 500n]);
    expect(await world.lastData()).toMatchObject({ amount: { minor: '500' } });
  });

  it('are each tried at all gates before the next amount, and stop at an unknown outcome [W357]', async () => {
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
      minor === 1_000n ? Promise.resolve(declinedBy(key, 116)) : timedOut(),
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

  it('asks no gate during an unknown outcome, makes at most one approved charge, and ends with the last answer [W361]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 6, maxLength: 6 }), fc.boolean(), async (answers, hasAmounts) => {
        const world = new OrderScenario();
        await world.accept({ gates: GATES, ...(hasAmounts && { amounts: [usd(3n), usd(2n), usd(1n)] }) });
        let isMaybe = false;
        let askedTooEarly = false;
        let approvals = 0;
        const settled = new Map<AttemptKey, string>();
        let turn = 0;
        for (const gate of [world.gate, world.otherGate]) {
          gate.onCharge = ({ key }) => {
            // An error of a gate would become an unknown outcome, so the check is made at the end.
            askedTooEarly ||= isMaybe || approvals > 0;
            const [outcome = '', later] = (answers[turn++] ?? 'unavailable').split(', ');
            if (later !== undefined) {
              isMaybe = true;
              settled.set(key, later);
              return timedOut();
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
        expect([askedTooEarly, approvals > 1]).toEqual([false, false]);
        const end = (await world.story()).at(-1);
        expect(end).toBe(approvals === 1 ? 'OrderApproved' : (await world.lastData())['code'] === 122 ? 'OrderFailed' : 'OrderDeclined');
      }),
      { numRuns: 150 },
    );
  });
});
