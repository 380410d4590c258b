import { addMs, type Instant } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import type { Claim, OpenOrder } from '../order-context';
import { ClaimBeforeSending } from './claim-before-sending';

const WITHIN_MS = 10_000;
const BACK_OFF_MAX_MS = 2_000;

const holding = (failure: (tried: number) => Error) => {
  const clock = new VirtualClock();
  let looks = 0;
  const open = (): Promise<OpenOrder> => Promise.reject(failure(++looks));
  const claims = new ClaimBeforeSending({ contexts: { open }, clock, monotonic: clock, scheduler: clock });
  const lost = () => Promise.reject(new OutcomeUnknown('lost'));
  const held = claims.hold({} as OpenOrder, { first: lost, renew: lost, sentAtOf: () => undefined, withinMs: WITHIN_MS });
  const end = held.then(
    () => undefined,
    (error: unknown) => ({ error, at: clock.now() }),
  );
  return { clock, end, looks: () => looks };
};

describe('a claim whose append was not acknowledged', () => {
  it('retries reading the unavailable log until the time limit, then throws the store’s error', async () => {
    const { clock, end, looks } = holding(() => new StoreUnavailable('the log is away'));
    const begunAt: Instant = clock.now();
    await clock.advance(WITHIN_MS);
    expect(looks()).toBeGreaterThan(3);
    await clock.advance(WITHIN_MS);
    const { error, at = begunAt } = (await end) ?? {};
    expect(error).toStrictEqual(new StoreUnavailable('the log is away'));
    expect(at).toBeGreaterThan(addMs(begunAt, WITHIN_MS));
  });

  it('does not retry if the stream is unreadable for another reason', async () => {
    const { clock, end, looks } = holding(() => new Error('a broken chain'));
    await clock.advance(1);
    expect(await end).toMatchObject({ error: new Error('a broken chain') });
    expect(looks()).toBe(1);
  });

  const claiming = (looks: readonly object[], answers: readonly (Error | Claim)[]) => {
    const clock = new VirtualClock();
    const [looksLeft, answersLeft] = [[...looks], [...answers]];
    const open = (): Promise<OpenOrder> => Promise.resolve(looksLeft.shift() as OpenOrder);
    const claims = new ClaimBeforeSending({ contexts: { open }, clock, monotonic: clock, scheduler: clock });
    const made: string[] = [];
    const answer = (kind: string): Promise<Claim> => {
      made.push(kind);
      const next = answersLeft.shift();
      return next instanceof Error || next === undefined ? Promise.reject(next ?? new Error('one claim too many')) : Promise.resolve(next);
    };
    const held = claims.hold({ causation: 'accepted' } as OpenOrder, {
      first: () => answer('first'),
      renew: () => answer('renewed'),
      sentAtOf: (order) => (order as unknown as { readonly sentAt?: Instant }).sentAt,
      withinMs: Infinity,
    });
    return { clock, held, made };
  };
  const lost = new OutcomeUnknown('lost');
  const unchanged = { causation: 'accepted' };
  const appended = (sentAt: Instant): Claim => ({
    kind: 'appended',
    order: { causation: 'renewed', sentAt } as unknown as OpenOrder,
    events: [{} as never],
  });

  it('is appended again if it was not stored, and renewed if the first one was stored late', async () => {
    const at = new VirtualClock().now();
    const late = { causation: 'claimed', sentAt: at };
    const { clock, held, made } = claiming([unchanged, late], [lost, { kind: 'conflict' }, appended(addMs(at, 50))]);
    await clock.advance(50);
    expect(await held).toMatchObject({ kind: 'held', order: { causation: 'renewed' } });
    expect(made).toStrictEqual(['first', 'first', 'renewed']);
  });

  it('is not held if another event was stored at its revision', async () => {
    const { held, made } = claiming([{ causation: 'of another' }], [lost]);
    expect(await held).toMatchObject({ kind: 'not-held' });
    expect(made).toStrictEqual(['first']);
  });

  it('is not held if the order now rejects it', async () => {
    const { clock, held } = claiming([unchanged, unchanged], [lost, { kind: 'refused', rejection: {} as never }]);
    await clock.advance(50);
    expect(await held).toMatchObject({ kind: 'not-held' });
  });

  it('is repeated only within the time limit and then not held', async () => {
    const clock = new VirtualClock();
    const open = (): Promise<OpenOrder> => Promise.resolve(unchanged as OpenOrder);
    const claims = new ClaimBeforeSending({ contexts: { open }, clock, monotonic: clock, scheduler: clock });
    const begunAt = clock.now();
    let lastAt = begunAt;
    const first = (now: Instant): Promise<Claim> => {
      lastAt = now;
      return Promise.reject(lost);
    };
    const renew = (): Promise<Claim> => Promise.reject(new Error('there is nothing to renew'));
    const held = claims.hold(unchanged as OpenOrder, { first, renew, sentAtOf: () => undefined, withinMs: WITHIN_MS });
    await clock.advance(2 * WITHIN_MS);
    expect(await held).toStrictEqual({ kind: 'not-held', order: unchanged });
    // The last attempt is at most one back-off after the limit.
    expect(lastAt).toBeGreaterThan(addMs(begunAt, WITHIN_MS / 2));
    expect(lastAt).toBeLessThanOrEqual(addMs(begunAt, WITHIN_MS + BACK_OFF_MAX_MS));
  });
});
