import { sleep, type AttemptKey } from '@app/kernel';
import { OutcomeUnknown } from '@app/event-store';
import { LEAVES_WITHIN_MS } from '@app/orders/domain';
import { CVV, HOLDER, LANE, OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;

const slow = (world: OrderScenario, ...delaysMs: readonly number[]): void => {
  const append = world.store.append.bind(world.store);
  const waiting = [...delaysMs];
  world.store.append = async (...parameters) => {
    const result = await append(...parameters);
    const delayMs = waiting.shift();
    if (delayMs !== undefined) await sleep(world.clock, delayMs);
    return result;
  };
};

describe('a claim that is stored slowly', () => {
  it.each([
    ['held for a failover', [LEAVES_WITHIN_MS + 900], ['AttemptStarted', 'AttemptStarted']],
    ['held twice', [10 * SECOND_MS, 3 * SECOND_MS], ['AttemptStarted', 'AttemptStarted', 'AttemptStarted']],
    ['held for no longer than it may', [LEAVES_WITHIN_MS], ['AttemptStarted']],
  ] as const)('is renewed if too old, and the charge is sent once: %s', async (_, delaysMs, claims) => {
    for (const cvvHolder of [undefined, HOLDER]) {
      const world = new OrderScenario();
      await world.accept(cvvHolder && { cvvHolder });
      slow(world, ...delaysMs);
      let sentAt: number | undefined;
      world.gate.onCharge = ({ key }) => {
        sentAt = world.clock.now();
        return Promise.resolve(approvedBy(key));
      };
      const working =
        cvvHolder === undefined
          ? world.workOrder.work(world.stream)
          : world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
      await world.clock.advance(30 * SECOND_MS);
      await working;
      expect(world.gate.charges).toHaveLength(1);
      expect(await world.story()).toEqual(['OrderAccepted', ...claims, 'AttemptApproved', 'OrderApproved']);
      const started = (await world.stored()).filter(({ type }) => type === 'AttemptStarted').map(({ data }) => JSON.parse(data) as object);
      expect(new Set(started.map((data) => JSON.stringify({ ...data, startedAt: 0 }))).size).toBe(1);
      expect((sentAt ?? Infinity) - (started.at(-1) as { startedAt: number }).startedAt).toBeLessThanOrEqual(LEAVES_WITHIN_MS);
    }
  });

  it('leads to no charge if another process has accepted the gate’s "not found" after the flight time', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    slow(world, 50 * SECOND_MS);
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    const other = world.newProcess();
    await world.clock.advance(36_999);
    await other.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
    await world.clock.advance(1);
    await other.workOrder.work(world.stream);
    await world.clock.advance(30 * SECOND_MS);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
    expect(world.gate.charges).toHaveLength(0);
  });

  it('is not treated as lost by an inquiry of the process that holds it', async () => {
    const world = new OrderScenario(false);
    await world.accept();
    slow(world, 100 * SECOND_MS);
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(90 * SECOND_MS);
    await world.workOrder.work(world.stream);
    expect(world.gate.inquiries).toHaveLength(1);
    await world.clock.advance(20 * SECOND_MS);
    await working;
    expect(world.gate.charges).toHaveLength(1);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('ends with 121 without a charge if the CVV may not be kept longer', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    slow(world, 61 * SECOND_MS);
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(70 * SECOND_MS);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
    expect(world.gate.charges).toHaveLength(0);
    expect(world.cvvQueue.held).toBe(0);
  });

  it('is found in the log after its response was lost and the log was away', async () => {
    const world = new OrderScenario();
    await world.accept({ cvvHolder: HOLDER });
    const append = world.store.append.bind(world.store);
    let isAway = true;
    world.store.append = async (...parameters) => {
      const result = await append(...parameters);
      if (!isAway) return result;
      await sleep(world.clock, 3 * SECOND_MS);
      throw new OutcomeUnknown('lost');
    };
    world.cvvQueue.submitSoon({ lane: LANE, stream: world.stream, cvv: CVV });
    await world.clock.advance(12 * SECOND_MS);
    expect(world.gate.charges).toHaveLength(0);
    isAway = false;
    await world.clock.advance(12 * SECOND_MS);
    expect(world.gate.charges).toHaveLength(1);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
    expect(world.errors).toEqual([]);
  });

  it('leads to one charge even if another process recorded an unknown outcome', async () => {
    const world = new OrderScenario();
    await world.accept();
    slow(world, 3 * SECOND_MS);
    world.gate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(SECOND_MS);
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
    await world.clock.advance(5 * SECOND_MS);
    await working;
    expect(world.gate.charges).toHaveLength(1);
    expect((await world.story()).slice(3)).toEqual(['AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('of the second leg of 3-D Secure leads to one completion in the same case', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
    };
    await world.workOrder.work(world.stream);
    slow(world, 3 * SECOND_MS);
    world.gate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(SECOND_MS);
    await world.newProcess().workOrder.work(world.stream);
    await world.clock.advance(5 * SECOND_MS);
    await returning;
    expect(world.gate.completions).toEqual([key]);
    expect((await world.story()).slice(3)).toEqual([
      'PayerReturned',
      'AttemptUnknown',
      'PayerReturned',
      'AttemptApproved',
      'OrderApproved',
    ]);
  });

  it('of the second leg of 3-D Secure is renewed too', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
    };
    await world.workOrder.work(world.stream);
    slow(world, 5 * SECOND_MS);
    const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(6 * SECOND_MS);
    await returning;
    expect(world.gate.completions).toEqual([key]);
    expect((await world.story()).slice(2)).toEqual([
      'PayerChallenged',
      'PayerReturned',
      'PayerReturned',
      'AttemptApproved',
      'OrderApproved',
    ]);
  });
});
