import { settle } from '@app/testing';
import { KeyedMutex } from './keyed-mutex';

describe('turns by key', () => {
  it('are taken in the order of coming, one at a time; another key waits for nobody; a failure ends its own turn alone', async () => {
    const turns = new KeyedMutex();
    const told: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const work = (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        told.push(`${name} begins`);
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    const first = turns.take('a', work('first'));
    const second = turns.take('a', work('second'));
    const third = turns.take('a', work('third'));
    const other = turns.take('b', work('other'));
    await settle();
    expect(told).toStrictEqual(['first begins', 'other begins']);
    expect(turns.size).toBe(2);
    ends.get('first')?.(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    await settle();
    expect(told).toStrictEqual(['first begins', 'other begins', 'second begins']);
    ends.get('second')?.();
    ends.get('other')?.();
    await expect(Promise.all([second, other])).resolves.toStrictEqual(['second', 'other']);
    await settle();
    ends.get('third')?.();
    await expect(third).resolves.toBe('third');
    await settle();
    expect(turns.size).toBe(0);
  });
});
