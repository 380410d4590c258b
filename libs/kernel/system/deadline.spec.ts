import { settle, VirtualClock } from '@app/testing';
import { byDeadline, EndableDeadline, waitAtMost } from './deadline';

describe('EndableDeadline', () => {
  it('calls each waiting function once, except removed ones', () => {
    const deadline = new EndableDeadline();
    const told: string[] = [];
    deadline.whenOver(() => told.push('first'));
    const forget = deadline.whenOver(() => told.push('second'));
    deadline.whenOver(() => told.push('third'));
    forget();
    forget();
    expect([deadline.isOver, told]).toStrictEqual([false, []]);
    deadline.end();
    deadline.end();
    expect([deadline.isOver, told]).toStrictEqual([true, ['first', 'third']]);
  });

  it('calls a function at once if it has already passed', () => {
    const deadline = new EndableDeadline();
    deadline.end();
    const told: string[] = [];
    deadline.whenOver(() => told.push('late'))();
    expect(told).toStrictEqual(['late']);
  });
});

describe('byDeadline', () => {
  const late = (): Error => new Error('late');

  it('returns the result or the failure of the work, or the error of a passed deadline', async () => {
    const deadline = new EndableDeadline();
    await expect(byDeadline(deadline, Promise.resolve('done'), late)).resolves.toBe('done');
    await expect(byDeadline(deadline, Promise.reject(new Error('away')), late)).rejects.toThrow('away');
    const waiting = byDeadline(deadline, new Promise(() => undefined), late);
    deadline.end();
    await expect(waiting).rejects.toThrow('late');
  });

  it('returns the promise of the work itself if there is no deadline', () => {
    const work = Promise.resolve();
    expect(byDeadline(undefined, work, late)).toBe(work);
  });
});

const never = (): Promise<string> => new Promise(() => undefined);

describe('waitAtMost', () => {
  it('returns the result of work that ends in time, and leaves no timer', async () => {
    const clock = new VirtualClock();
    expect(await waitAtMost(clock, 1_000, Promise.resolve('done'), () => 'late')).toBe('done');
    await expect(waitAtMost(clock, 1_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
    await settle();
    expect(clock.pending).toBe(0);
  });

  it('returns the result of the limit, exactly at the limit, if the work does not end', async () => {
    const clock = new VirtualClock();
    const results: unknown[] = [];
    void waitAtMost(clock, 1_000, never(), () => 'late').then((result) => results.push(result));
    void waitAtMost(clock, 1_000, never(), () => Promise.reject(new Error('too late'))).catch((error: unknown) => results.push(error));
    await clock.advance(999);
    expect(results).toStrictEqual([]);
    await clock.advance(1);
    expect(results).toStrictEqual(['late', new Error('too late')]);
  });

  it('ignores a failure after the limit', async () => {
    const clock = new VirtualClock();
    let fail = (_error: Error): void => undefined;
    const work = new Promise<string>((_resolve, reject) => (fail = reject));
    const waiting = waitAtMost(clock, 1_000, work, () => 'late');
    await clock.advance(1_000);
    fail(new Error('after the limit'));
    expect(await waiting).toBe('late');
    await settle();
  });
});
