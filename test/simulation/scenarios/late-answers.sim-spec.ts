import type { AttemptKey } from '@app/kernel';
import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import { CALLS, chance, later, somewhereAfter, workUntil } from './late-calls';
import { OrderScenario } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('a charge call that exceeds its time limit (safety, B25)', () => {
  it(`is awaited despite any number of "not found" answers: ${CALLS} calls`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario(index % 2 === 0);
      await world.accept();
      const endsMs = somewhereAfter(index);
      const isApproved = index % 3 !== 0;
      world.gate.onCharge = ({ key }) => later(world, endsMs, () => (isApproved ? approvedBy(key) : declinedBy(key)));
      const working = world.workOrder.work(world.stream);
      await workUntil(world, endsMs - 1, () => world.workOrder.work(world.stream));
      await working;
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown']);
      expect(world.late).toEqual([]);
      await world.clock.advance(1);
      expect((await world.story()).slice(3)).toEqual(
        isApproved ? ['AttemptApproved', 'OrderApproved'] : ['AttemptDeclined', 'OrderDeclined'],
      );
      expect(world.late).toEqual([isApproved ? 'submit: approved' : 'submit: declined']);
      expect(world.gate.charges).toHaveLength(1);
    }
  });

  it('is accepted as not found after it has ended and the flight time has passed', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => later(world, 60 * SECOND_MS, (): ChargeAnswer => ({ kind: 'unknown', cause: 'connection-lost' }));
    const working = world.workOrder.work(world.stream);
    await workUntil(world, 64_999, () => world.workOrder.work(world.stream));
    await working;
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await world.clock.advance(1);
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 121 });
  });

  it(`is recorded as a conflict if another process has ended the order: ${CALLS} calls`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario();
      await world.accept();
      world.gate.onCharge = ({ key }) => later(world, HOUR_MS + index, () => approvedBy(key));
      const working = world.workOrder.work(world.stream);
      const other = world.newProcess();
      await workUntil(world, 36_999, () => other.workOrder.work(world.stream));
      await working;
      expect((await world.story()).at(-1)).toBe('AttemptUnknown');
      await workUntil(world, HOUR_MS / 2, () => other.workOrder.work(world.stream));
      expect((await world.story()).slice(3)).toEqual(['AttemptNotAsked', 'OrderFailed']);
      await world.clock.advance(HOUR_MS);
      expect((await world.story()).slice(5)).toEqual(['LateResultConflict']);
      expect(world.late).toEqual(['submit: approved']);
      expect(world.gate.charges).toHaveLength(1);
    }
  });

  it(`of a dead process without a shared log is accepted as not found 5 seconds after the next start: ${CALLS} calls`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const world = new OrderScenario(false);
      await world.accept();
      world.gate.onCharge = () => new Promise(() => undefined);
      void world.workOrder.work(world.stream);
      const goneAfterMs = Math.floor(chance.fraction() * 24_000);
      await world.clock.advance(goneAfterMs);
      // A clock change during the call must change nothing.
      if (index % 2 === 0) world.clock.jump(index % 4 === 0 ? 24 * HOUR_MS : -24 * HOUR_MS);
      const { workOrder } = world.newProcess();
      await workUntil(world, 4_999, () => workOrder.work(world.stream));
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
      await world.clock.advance(1);
      await workOrder.work(world.stream);
      expect((await world.story()).slice(2)).toEqual(['AttemptNotAsked', 'OrderFailed']);
    }
  });

  it('keeps its answer while the log is away, and records it afterwards', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = ({ key }) => later(world, 40 * SECOND_MS, () => approvedBy(key));
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(39 * SECOND_MS);
    await working;
    world.store.stumble({ kind: 'refused' }, { kind: 'refused' }, { kind: 'refused' });
    await world.clock.advance(SECOND_MS);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    await world.workOrder.work(world.stream);
    await world.clock.advance(10 * SECOND_MS);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is aborted at its time limit, which is passed to the gate', async () => {
    const world = new OrderScenario();
    await world.accept();
    let limit: { withinMs: number; signal: AbortSignal } | undefined;
    world.gate.onCharge = (_request, given) => {
      limit = given;
      return new Promise((resolve) => given.signal.addEventListener('abort', () => resolve({ kind: 'not-asked', cause: 'unavailable' })));
    };
    const working = world.workOrder.work(world.stream);
    await world.clock.advance(29_999);
    expect(limit).toMatchObject({ withinMs: 30_000, signal: { aborted: false } });
    await world.clock.advance(1);
    await working;
    expect(limit?.signal.aborted).toBe(true);
    expect((await world.story()).slice(2)).toEqual(['AttemptUnknown', 'AttemptNotAsked', 'OrderFailed']);
  });
});

describe('a second leg of 3-D Secure that exceeds its time limit', () => {
  const payerBack = async (isShared: boolean): Promise<{ world: OrderScenario; key: AttemptKey }> => {
    const world = new OrderScenario(isShared);
    await world.accept();
    const key = await new Promise<AttemptKey>((resolve) => {
      world.gate.onCharge = (request) => {
        resolve(request.key);
        return Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
      };
      void world.workOrder.work(world.stream);
    });
    await world.clock.advance(SECOND_MS);
    return { world, key };
  };

  it(`is awaited although the gate still shows its page: ${CALLS} calls`, async () => {
    for (let index = 0; index < CALLS; index++) {
      const { world, key } = await payerBack(index % 2 === 0);
      const endsMs = somewhereAfter(index);
      world.gate.onComplete = () => later(world, endsMs, () => approvedBy(key));
      world.gate.onInquiry = () =>
        Promise.resolve({ kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } });
      const returning = world.returnPayer.payerReturned(world.stream, key, new Map());
      await workUntil(world, endsMs - 1, () => world.workOrder.work(world.stream));
      await returning;
      expect((await world.story()).slice(3)).toEqual(['PayerReturned', 'AttemptUnknown']);
      await world.clock.advance(1);
      expect((await world.story()).slice(5)).toEqual(['AttemptApproved', 'OrderApproved']);
      expect(world.late).toEqual(['complete: approved']);
      expect(world.gate.completions).toEqual([key]);
    }
  });
});
