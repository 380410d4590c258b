import type { AttemptKey, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { settle, VirtualClock } from '@app/testing';
import fc from 'fast-check';
import { UNVERIFIED_WAITING_MAX, UnverifiedNotifications, UnverifiedNotificationRate } from './unverified-notifications';

const GATE = 'sim-a' as GateAlias;
const OTHER_GATE = 'sim-b' as GateAlias;
const STREAM = 'payment-1' as StreamName;
const LOOKS = 4;

const waiting = () => {
  const clock = new VirtualClock();
  const reads: (() => void)[] = [];
  const heard: string[] = [];
  const unverified = new UnverifiedNotifications({
    contexts: { findByStream: () => new Promise((resolve) => reads.push(() => resolve(undefined))) },
    circuits: { isOpen: () => false },
    requests: { streamsOf: () => Promise.resolve([]) },
    agenda: { dueNow: () => Promise.resolve() },
    monotonic: clock,
    listener: {
      heard: (gate, kind, outcome) => heard.push(`${gate} ${kind} ${outcome}`),
      neverKnown: () => undefined,
      notificationFailed: () => undefined,
    },
  });
  const take = (index: number, gate = GATE): void => unverified.take(gate, { stream: STREAM, key: `key-${index}` as AttemptKey });
  return { clock, unverified, reads, heard, take };
};

describe('pending hints', () => {
  it('are processed at most four at a time, the next one when one finishes', async () => {
    const { reads, take } = waiting();
    for (let index = 0; index < 10; index++) take(index);
    expect(reads).toHaveLength(LOOKS);
    reads[0]?.();
    await settle();
    expect(reads).toHaveLength(LOOKS + 1);
  });

  it('are merged if they are equal, even during processing', () => {
    const { reads, take } = waiting();
    for (let count = 0; count < 10; count++) take(1);
    expect(reads).toHaveLength(1);
  });

  it('are limited in number over all gates', async () => {
    const { clock, heard, take } = waiting();
    for (let index = 0; heard.length === 0; index++) {
      take(index, index % 2 === 0 ? GATE : OTHER_GATE);
      if (index % 100 === 0) await clock.advance(1_000);
      expect(index).toBeLessThanOrEqual(UNVERIFIED_WAITING_MAX + LOOKS);
    }
    expect(heard[0]).toMatch(/^sim-[ab] hint limited$/);
  });

  it('are dropped by stop(), which waits for those in progress', async () => {
    const { unverified, reads, heard, take } = waiting();
    for (let index = 0; index < 10; index++) take(index);
    let isStopped = false;
    const stopping = unverified.stop().then(() => (isStopped = true));
    await settle();
    expect(isStopped).toBe(false);
    for (const answer of reads) answer();
    await stopping;
    expect(heard).toHaveLength(LOOKS);
  });
});

describe('the rate limit of hints', () => {
  it('allows at most twice the rate in any second, and the rate on average', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 }),
        async (perSecond, gaps) => {
          const clock = new VirtualClock();
          const rate = new UnverifiedNotificationRate(perSecond, clock);
          const begunMs = clock.elapsedMs();
          const taken: number[] = [];
          for (const gapMs of gaps) {
            await clock.advance(gapMs);
            for (let tries = 0; tries < 3; tries++) if (rate.take()) taken.push(clock.elapsedMs());
          }
          const seconds = (clock.elapsedMs() - begunMs) / 1_000;
          expect(taken.length).toBeLessThanOrEqual(perSecond * (seconds + 1));
          for (const from of taken) expect(taken.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(2 * perSecond);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('allows hints again after one second', async () => {
    const clock = new VirtualClock();
    const rate = new UnverifiedNotificationRate(2, clock);
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false]);
    await clock.advance(499);
    expect(rate.take()).toBe(false);
    await clock.advance(501);
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false]);
  });
});
