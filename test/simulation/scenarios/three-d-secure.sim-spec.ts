import type { AttemptKey } from '@app/kernel';
import { GATE_TIMEOUT_MS, LEAVES_WITHIN_MS } from '@app/orders/domain';
import { OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;

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

  it("notifies the gate once of the payer's return, after the return is stored", async () => {
    const { world, key } = await challenged();
    world.gate.onComplete = async () => {
      expect((await world.story()).at(-1)).toBe('PayerReturned');
      return approvedBy(key);
    };
    await Promise.all(Array.from({ length: 10 }, () => world.returnPayer.payerReturned(world.stream, key, new Map())));
    expect(world.gate.completions).toEqual([key]);
    expect((await world.story()).slice(3)).toEqual(['PayerReturned', 'AttemptApproved', 'OrderApproved']);
  });

  it('rejects a return under an unknown attempt key', async () => {
    const { world } = await challenged();
    await expect(world.returnPayer.payerReturned(world.stream, 'other' as AttemptKey, new Map())).resolves.toBe('unknown-attempt');
    expect(world.gate.completions).toEqual([]);
  });

  it('declines the order if the payer does not return in 15 minutes, and accepts no later return [W351]', async () => {
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

  it('is inquired and not completed again after a crash between the return and the gate call', async () => {
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

  it("schedules the next check within a minute, but not after the payer's time limit", async () => {
    const { world } = await challenged();
    const dueAt = await world.workOrder.work(world.stream);
    expect((dueAt ?? 0) - world.clock.now()).toBe(60 * SECOND_MS);
    await world.clock.advance(900_000 - 10 * SECOND_MS);
    const lastDueAt = await world.workOrder.work(world.stream);
    expect((lastDueAt ?? 0) - world.clock.now()).toBe(10 * SECOND_MS);
  });

  it('is not ended by an inquiry of the first leg while the second leg is in progress', async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({ kind: 'unknown', cause: 'connection-lost' });
    };
    await world.workOrder.work(world.stream);
    await world.clock.advance(6 * SECOND_MS);
    // An inquiry of the first leg, answered "not found" after another found the challenge and the payer returned.
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

  it("seals the payer's page", async () => {
    const { world } = await challenged();
    const [, , challenge] = await world.stored();
    expect(challenge?.data).not.toContain('acs.example');
  });
});
