import { addMs, type Instant } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import type { OpenOrder } from '../../order/application/order-context';
import { HoldClaim } from './hold-claim';

const WITHIN_MS = 10_000;

/** The claim's first answer is lost, and each look at the order's stream fails as told. */
const holding = (failure: (tried: number) => Error) => {
  const clock = new VirtualClock();
  let looks = 0;
  const open = (): Promise<OpenOrder> => Promise.reject(failure(++looks));
  const claims = new HoldClaim({ contexts: { open }, clock, monotonic: clock, scheduler: clock });
  const lost = () => Promise.reject(new OutcomeUnknown('lost'));
  const held = claims.hold({} as OpenOrder, { first: lost, renew: lost, sentAtOf: () => undefined, withinMs: WITHIN_MS });
  const end = held.then(
    () => undefined,
    (error: unknown) => ({ error, at: clock.now() }),
  );
  return { clock, end, looks: () => looks };
};

describe('a claim whose answer was lost', () => {
  it('is looked for while the log is away, until it may be renewed no longer: then the log’s failure is handed on', async () => {
    const { clock, end, looks } = holding(() => new StoreUnavailable('the log is away'));
    const begunAt: Instant = clock.now();
    await clock.advance(WITHIN_MS);
    expect(looks()).toBeGreaterThan(3);
    await clock.advance(WITHIN_MS);
    const { error, at = begunAt } = (await end) ?? {};
    expect(error).toStrictEqual(new StoreUnavailable('the log is away'));
    expect(at).toBeGreaterThan(addMs(begunAt, WITHIN_MS));
  });

  it('is not looked for again where the stream cannot be read for another reason than that the log is away', async () => {
    const { clock, end, looks } = holding(() => new Error('a broken chain'));
    await clock.advance(1);
    expect(await end).toMatchObject({ error: new Error('a broken chain') });
    expect(looks()).toBe(1);
  });
});
