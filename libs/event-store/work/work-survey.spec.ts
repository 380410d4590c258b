import { type Instant, type MerchantLogin, addMs } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import type { WorkItem } from './open-work';
import type { StreamName } from '../core/port';
import { MemoryOpenWork } from '../testing';
import { WorkSurvey } from './due-times';

const HOUR_MS = 3_600_000;

const surveyed = (count: number, dueAt: (now: Instant, index: number) => Instant) => {
  const clock = new VirtualClock();
  const work = new MemoryOpenWork();
  const errors: unknown[] = [];
  let wakes = 0;
  work.add(
    ...Array.from({ length: count }, (_, index): WorkItem => {
      const key = `payment-${index.toString().padStart(5, '0')}`;
      const stream = key as StreamName;
      return { key, stream, task: 'inquire', dueAt: dueAt(clock.now(), index), merchant: 'acme' as MerchantLogin, lane: 'acme/sim-a' };
    }),
  );
  const onError = (error: unknown) => errors.push(error);
  const survey = new WorkSurvey({ work, clock, scheduler: clock, onDue: () => void wakes++, onError });
  const due = () => [...work.items.values()].filter((item) => item.dueAt <= clock.now()).length;
  return { clock, work, survey, due, errors, wakes: () => wakes };
};

describe('WorkSurvey', () => {
  it('makes every later item due, and leaves items that are due or nearly due unchanged', async () => {
    const times = [-HOUR_MS, 0, 10_000, 20_000, HOUR_MS, 400 * 24 * HOUR_MS];
    const { clock, work, survey, wakes } = surveyed(times.length, (now, index) => addMs(now, times[index] ?? 0));
    const before = clock.now();
    survey.begin();
    await settle(8);
    expect([...work.items.values()].map(({ dueAt }) => dueAt - before)).toEqual([-HOUR_MS, 0, 10_000, 0, 0, 0]);
    expect(wakes()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('proceeds page by page, so that many items become due a few at a time', async () => {
    const { clock, survey, due } = surveyed(1_000, (now) => addMs(now, HOUR_MS));
    survey.begin();
    await settle(8);
    const first = due();
    expect(first).toBeLessThanOrEqual(256);
    await clock.advance(900);
    expect(due()).toBe(first);
    await clock.advance(3_000);
    expect(due()).toBe(1_000);
  });

  it('continues after the work table was unavailable', async () => {
    const { clock, work, survey, due, errors } = surveyed(300, (now) => addMs(now, HOUR_MS));
    work.isAway = true;
    survey.begin();
    await clock.advance(5_000);
    expect(errors.length).toBeGreaterThan(1);
    work.isAway = false;
    await clock.advance(60_000);
    expect(due()).toBe(300);
  });

  it('can be restarted, and stops at once', async () => {
    const { clock, survey, due, work } = surveyed(1_000, (now) => addMs(now, HOUR_MS));
    survey.begin();
    await settle(8);
    survey.begin();
    await settle(8);
    survey.stop();
    await settle(8);
    const stopped = due();
    expect(stopped).toBeLessThan(1_000);
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(due()).toBe(stopped);
    expect(work.isAway).toBe(false);
  });
});
