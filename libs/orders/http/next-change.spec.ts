import { EndableDeadline, sleep, type MerchantLogin } from '@app/kernel';
import type { OrderStatusView } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { NextChange } from './order-status.controller';

const setUp = (changed: Partial<OrderStatusView> = {}) => {
  const clock = new VirtualClock();
  const change = new NextChange({ clock, scheduler: clock });
  const view = { status: 'processing', stage: 'sale_filtering', payer: null, acceptedAt: clock.now(), ...changed } as OrderStatusView;
  const world = { current: view, reads: 0 };
  const read = async () => {
    world.reads++;
    return world.current;
  };
  const asked = async (statusWaitMs: number, deadline = new EndableDeadline()) => {
    const startedAt = clock.now();
    let answered: { view: OrderStatusView; waitedMs: number } | undefined;
    const asking = change.of(view, { merchant: { login: 'acme' as MerchantLogin, statusWaitMs }, deadline, read }).then((found) => {
      answered = { view: found, waitedMs: clock.now() - startedAt };
    });
    await clock.advanceUntil(() => answered !== undefined, 10_000);
    await asking;
    return answered;
  };
  return { clock, change, view, world, asked, read };
};

describe('a status request of a new order (protocol decisions, section 12)', () => {
  it('is answered when the order changes and leaves no timer [W501]', async () => {
    const { clock, world, view, asked } = setUp();
    const validating = { ...view, stage: 'sale_3d_validating' } as OrderStatusView;
    void sleep(clock, 300).then(() => (world.current = validating));
    const answered = await asked(2_000);
    expect(answered?.view).toBe(validating);
    expect(answered?.waitedMs).toBeGreaterThanOrEqual(300);
    expect(answered?.waitedMs).toBeLessThanOrEqual(500);
    expect(clock.pending).toBe(0);
  });

  it.each([50, 700, 2_000])('waits at most %d ms and reads at most 12 times [W501]', async (statusWaitMs) => {
    const { world, asked } = setUp();
    expect((await asked(statusWaitMs))?.waitedMs).toBe(statusWaitMs);
    expect(world.reads).toBeLessThanOrEqual(12);
  });

  it.each<[why: string, changed: Partial<OrderStatusView>, statusWaitMs: number]>([
    ['by default', {}, 0],
    ['if it is final', { status: 'approved' }, 2_000],
    ['if its outcome is unknown', { status: 'unknown' }, 2_000],
  ])('is answered immediately %s', async (_why, changed, statusWaitMs) => {
    const { world, asked } = setUp(changed);
    expect(await asked(statusWaitMs)).toMatchObject({ waitedMs: 0 });
    expect(world.reads).toBe(0);
  });

  it('is answered immediately if the order was accepted 2 s ago', async () => {
    const { clock, asked } = setUp();
    await clock.advance(2_000);
    expect(await asked(2_000)).toMatchObject({ waitedMs: 0 });
  });

  it('is answered with the current view at shutdown and at the request’s deadline', async () => {
    const { clock, change, asked } = setUp();
    const deadline = new EndableDeadline();
    void sleep(clock, 100).then(() => deadline.end());
    expect((await asked(2_000, deadline))?.waitedMs).toBeLessThanOrEqual(200);
    change.beforeApplicationShutdown();
    expect((await asked(2_000))?.waitedMs).toBeLessThanOrEqual(50);
  });

  it('is answered immediately above 64 waiting requests of its merchant or 256 in total', async () => {
    const { clock, change, view, read } = setUp();
    const answered: string[] = [];
    const ask = (login: string, count: number) => {
      for (let asked = 0; asked < count; asked++)
        void change
          .of(view, { merchant: { login: login as MerchantLogin, statusWaitMs: 900 }, deadline: undefined, read })
          .then(() => answered.push(login));
    };
    ask('acme', 65);
    await clock.advance(0);
    expect(answered).toStrictEqual(['acme']);
    for (const login of ['ajax', 'apex', 'arch']) ask(login, 64);
    ask('axis', 1);
    await clock.advance(0);
    expect(answered).toStrictEqual(['acme', 'axis']);
    await clock.advance(900);
    expect(answered).toHaveLength(258);
    ask('acme', 1);
    await clock.advance(0);
    expect(answered).toHaveLength(258);
    await clock.advance(900);
    expect(answered).toHaveLength(259);
  });
});
