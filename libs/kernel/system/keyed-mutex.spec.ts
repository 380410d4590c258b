import { settle } from '@app/testing';
import { KeyedMutex } from './keyed-mutex';

describe('KeyedMutex', () => {
  it('runs the work of one key in order, other keys in parallel, and continues after a failure', async () => {
    const mutex = new KeyedMutex();
    const begun: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const work = (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        begun.push(name);
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    const first = mutex.take('a', work('first'));
    const second = mutex.take('a', work('second'));
    const third = mutex.take('a', work('third'));
    const other = mutex.take('b', work('other'));
    await settle();
    expect(begun).toStrictEqual(['first', 'other']);
    expect(mutex.size).toBe(2);
    ends.get('first')?.(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    await settle();
    expect(begun).toStrictEqual(['first', 'other', 'second']);
    ends.get('second')?.();
    ends.get('other')?.();
    await expect(Promise.all([second, other])).resolves.toStrictEqual(['second', 'other']);
    await settle();
    ends.get('third')?.();
    await expect(third).resolves.toBe('third');
    await settle();
    expect(mutex.size).toBe(0);
  });
});
