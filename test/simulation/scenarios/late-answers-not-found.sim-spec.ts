import { type AttemptKey, sleep } from '@app/kernel';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import { later } from './late-calls';
import { OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('a "not found" received by another process', () => {
  const page = { kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } } as const;

  it('for the first leg of 3-D Secure does not end the second leg', async () => {
    const world = new OrderScenario();
    await world.accept();
    const other = world.newProcess();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return later(world, 2 * SECOND_MS, () => page);
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(SECOND_MS);
    await other.workOrder.work(world.stream);
    expect(world.gate.inquiries).toHaveLength(1);
    await world.clock.advance(SECOND_MS);
    await working;
    await world.clock.advance(5 * 60 * SECOND_MS);
    world.gate.onComplete = () => later(world, 4 * SECOND_MS, () => approvedBy(key));
    world.gate.onInquiry = () => Promise.resolve(page);
    const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
    await world.clock.advance(SECOND_MS);
    await other.workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['PayerChallenged', 'PayerReturned']);
    await world.clock.advance(3 * SECOND_MS);
    await returning;
    expect((await world.story()).slice(4)).toEqual(['AttemptApproved', 'OrderApproved']);
  });

  it("before a claim's renewal does not end the renewed attempt", async () => {
    const world = new OrderScenario();
    await world.accept();
    const append = world.store.append.bind(world.store);
    let isHeldUp = true;
    world.store.append = async (...parameters) => {
      const result = await append(...parameters);
      if (isHeldUp) {
        isHeldUp = false;
        await sleep(world.clock, 36 * SECOND_MS);
      }
      return result;
    };
    world.gate.onCharge = ({ key }) => later(world, 4 * SECOND_MS, () => approvedBy(key));
    const working = world.workOrder.work(world.stream);
    const other = world.newProcess();
    await world.clock.advance(SECOND_MS);
    await other.workOrder.work(world.stream);
    // The process resumes after 36 s and renews the claim; the first claim's flight would end after 37 s.
    await world.clock.advance(37 * SECOND_MS);
    await other.workOrder.work(world.stream);
    expect(world.gate.inquiries).toHaveLength(2);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptStarted']);
    await world.clock.advance(4 * SECOND_MS);
    await working;
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
    expect(world.gate.charges).toHaveLength(1);
  });
});

describe('a slow "not found"', () => {
  it.each([false, true])('applies to the time of its inquiry, at which the charge had not arrived (shared log: %s)', async (isShared) => {
    const world = new OrderScenario(isShared);
    await world.clock.advance(HOUR_MS);
    await world.accept();
    let isBooked = false;
    world.gate.onCharge = () => {
      world.clock.after(3 * SECOND_MS, () => (isBooked = true));
      return later(world, 2 * SECOND_MS, (): ChargeAnswer => ({ kind: 'unknown', cause: 'connection-lost' }));
    };
    world.gate.onInquiry = (key) => {
      const answer = isBooked ? approvedBy(key) : ({ kind: 'not-found' } as const);
      return later(world, 6 * SECOND_MS, () => answer as never);
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(2 * SECOND_MS);
    await working;
    const looking = world.workOrder.work(world.stream);
    await world.clock.advance(6 * SECOND_MS);
    await looking;
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
    const again = world.workOrder.work(world.stream);
    await world.clock.advance(6 * SECOND_MS);
    await again;
    expect((await world.story()).slice(3)).toEqual(['AttemptApproved', 'OrderApproved']);
  });
});

describe('an answer that could not be recorded', () => {
  it.each([false, true])('is not overridden by "not found" from a gate whose ledger lags (shared log: %s)', async (isShared) => {
    const world = new OrderScenario(isShared);
    await world.clock.advance(HOUR_MS);
    await world.accept();
    world.gate.onCharge = ({ key }) => {
      world.store.isAway = true;
      return Promise.resolve(approvedBy(key));
    };
    await expect(world.workOrder.work(world.stream)).rejects.toThrow();
    world.store.isAway = false;
    await world.clock.advance(SECOND_MS);
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key) as never);
    await world.clock.advance(3_900);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(2)).toEqual(['AttemptApproved', 'OrderApproved']);
  });
});
