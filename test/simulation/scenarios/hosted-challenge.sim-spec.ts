import type { AttemptKey } from '@app/kernel';
import type { InquiryAnswer } from '@app/gateway-adapters/contract';
import { GATES, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const CHALLENGE = { kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://gate.example/payer/1' }, isHosted: true } as const;
const HALF_MINUTE_MS = 30_000;
const PAYER_MS = 900_000;

describe('3-D Secure hosted by the gate', () => {
  const challenged = async (plan: Parameters<OrderScenario['accept']>[0] = {}): Promise<{ world: OrderScenario; key: AttemptKey }> => {
    const world = new OrderScenario();
    await world.accept(plan);
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve(CHALLENGE);
    };
    world.gate.onInquiry = () => Promise.resolve(CHALLENGE);
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'PayerChallenged']);
    return { world, key };
  };
  const works = async (world: OrderScenario, answer: InquiryAnswer): Promise<number | undefined> => {
    world.gate.onInquiry = () => Promise.resolve(answer);
    return world.workOrder.work(world.stream);
  };

  it('is inquired every half minute, so that an order is approved even if the payer never returns', async () => {
    const { world, key } = await challenged();
    const next = await works(world, CHALLENGE);
    expect(next).toBe(world.clock.now() + HALF_MINUTE_MS);
    await world.clock.advance(HALF_MINUTE_MS);
    await works(world, approvedBy(key));
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    expect(world.gate.completions).toEqual([]);
  });

  it('is inquired at once when the payer returns, without a completion call', async () => {
    const { world, key } = await challenged();
    world.gate.onInquiry = () => Promise.resolve(declinedBy(key, 110));
    await world.returnPayer.payerReturned(world.stream, key, new Map([['status', 'approved']]));
    expect((await world.story()).slice(3)).toEqual(['AttemptDeclined', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    expect(world.gate.completions).toEqual([]);
  });

  it('stays open if the payer returns before the gate has decided, and allows further returns', async () => {
    const { world, key } = await challenged();
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    await works(world, approvedBy(key));
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it.each<[string, InquiryAnswer]>([
    ['still waits for the payer', CHALLENGE],
    ['does not answer', { kind: 'unknown', cause: 'timeout' }],
    ['does not know the order any more', { kind: 'not-found' }],
  ])("becomes unknown after the payer's time if the gate %s, and a later approval still counts", async (_, answer) => {
    const { world, key } = await challenged();
    await world.clock.advance(PAYER_MS - 1);
    await works(world, answer);
    expect((await world.story()).at(-1)).toBe('PayerChallenged');
    await world.clock.advance(1);
    await works(world, answer);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await world.clock.advance(24 * 3_600_000);
    await works(world, answer);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await works(world, approvedBy(key));
    expect((await world.story()).slice(-2)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it('ends without a charge if the gate reports that it was not asked', async () => {
    const { world } = await challenged();
    await works(world, { kind: 'not-asked', cause: 'unavailable' });
    expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
  });

  it('continues at the next gate if the gate reports that it was not asked', async () => {
    const { world } = await challenged({ gates: GATES });
    await works(world, { kind: 'not-asked', cause: 'unavailable' });
    expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'NextAttemptChosen']);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(5)).toEqual(['AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    expect(world.charged).toEqual([1, 1]);
  });

  it('is continued by another process after a crash', async () => {
    const { world, key } = await challenged();
    world.gate.onInquiry = () => Promise.resolve(approvedBy(key));
    const { workOrder } = world.newProcess();
    await workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });
});
