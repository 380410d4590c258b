import { byDeadline, EndableDeadline } from './deadline';

describe('a deadline', () => {
  it('calls each waiting function once, and none that was removed', () => {
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

  it('calls a function at once where it has already passed', () => {
    const deadline = new EndableDeadline();
    deadline.end();
    const told: string[] = [];
    deadline.whenOver(() => told.push('late'))();
    expect(told).toStrictEqual(['late']);
  });
});

describe('work with a deadline', () => {
  const late = (): Error => new Error('late');

  it('gives its result, its failure, or the error for a passed deadline', async () => {
    const deadline = new EndableDeadline();
    await expect(byDeadline(deadline, Promise.resolve('done'), late)).resolves.toBe('done');
    await expect(byDeadline(deadline, Promise.reject(new Error('away')), late)).rejects.toThrow('away');
    const waiting = byDeadline(deadline, new Promise(() => undefined), late);
    deadline.end();
    await expect(waiting).rejects.toThrow('late');
  });

  it('is the work itself where there is no deadline', () => {
    const work = Promise.resolve();
    expect(byDeadline(undefined, work, late)).toBe(work);
  });
});
