import { VirtualClock } from '@app/testing';
import { pollUntil } from './polling';

const EVERY_MS = 3_000;
const WITHIN_MS = 10_000;

const polled = (answers: readonly (string | undefined)[], everyMs = EVERY_MS) => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const askedAtMs: number[] = [];
  const begunMs = clock.elapsedMs();
  const answer = pollUntil({ monotonic: clock, scheduler: clock }, everyMs, { withinMs: WITHIN_MS, signal: abort.signal }, begunMs, () => {
    askedAtMs.push(clock.elapsedMs() - begunMs);
    return Promise.resolve(answers[askedAtMs.length - 1]);
  });
  return { clock, abort, askedAtMs, answer };
};

describe('pollUntil', () => {
  it('polls after one second, then at the interval, until there is an answer', async () => {
    const { clock, askedAtMs, answer } = polled([undefined, undefined, 'approved']);
    await clock.advance(WITHIN_MS);
    expect(await answer).toBe('approved');
    expect(askedAtMs).toEqual([1_000, 4_000, 7_000]);
  });

  it('polls first after the interval if it is shorter than one second', async () => {
    const { clock, askedAtMs, answer } = polled(['approved'], 200);
    await clock.advance(WITHIN_MS);
    expect(await answer).toBe('approved');
    expect(askedAtMs).toEqual([200]);
  });

  it('returns undefined if no time remains for another poll', async () => {
    const { clock, askedAtMs, answer } = polled([]);
    await clock.advance(WITHIN_MS);
    expect(await answer).toBeUndefined();
    expect(askedAtMs).toEqual([1_000, 4_000, 7_000]);
  });

  it('stops polling if the call is aborted', async () => {
    const { clock, abort, askedAtMs, answer } = polled([]);
    await clock.advance(1_000);
    abort.abort();
    await clock.advance(WITHIN_MS);
    expect(await answer).toBeUndefined();
    expect(askedAtMs).toEqual([1_000]);
  });
});
