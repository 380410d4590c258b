import fc from 'fast-check';
import { BoundedQueue } from './bounded-queue';

const ITEMS_MAX = 5;
const UNITS_MAX = 20;

describe('BoundedQueue', () => {
  it('returns items in order, and alternates between onFull and onRoom', async () => {
    const step = fc.oneof(fc.record({ push: fc.nat(12) }), fc.constant('take' as const));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const turns: string[] = [];
        const queue = new BoundedQueue<number>({
          itemsMax: ITEMS_MAX,
          unitsMax: UNITS_MAX,
          onFull: () => turns.push('full'),
          onRoom: () => turns.push('room'),
        });
        let pushed = 0;
        let waitingUnits: number[] = [];
        const taken: (number | undefined)[] = [];
        for (const one of steps) {
          if (one !== 'take') {
            queue.push(pushed++, one.push);
            waitingUnits.push(one.push);
          } else if (queue.length > 0) {
            taken.push(await queue.next());
            waitingUnits = waitingUnits.slice(1);
          }
          const units = waitingUnits.reduce((sum, each) => sum + each, 0);
          expect(queue.length).toBe(waitingUnits.length);
          if (waitingUnits.length >= ITEMS_MAX || units >= UNITS_MAX) expect(queue.isFull).toBe(true);
          if (waitingUnits.length <= ITEMS_MAX / 2 && units <= UNITS_MAX / 2) expect(queue.isFull).toBe(false);
        }
        expect(turns).toStrictEqual(turns.map((_, index) => (index % 2 === 0 ? 'full' : 'room')));
        queue.end();
        for (let item = await queue.next(); item !== undefined; item = await queue.next()) taken.push(item);
        expect(taken).toStrictEqual(Array.from({ length: pushed }, (_, index) => index));
      }),
    );
  });

  const newQueue = (): BoundedQueue<string> =>
    new BoundedQueue({ itemsMax: ITEMS_MAX, unitsMax: UNITS_MAX, onFull: () => undefined, onRoom: () => undefined });

  it('gives an item to a waiting reader', async () => {
    const queue = newQueue();
    const next = queue.next();
    queue.push('a', 1);
    await expect(next).resolves.toBe('a');
    expect(queue.length).toBe(0);
  });

  it('rejects with the failure after the earlier items, and ignores later pushes and ends', async () => {
    const queue = newQueue();
    queue.push('a', 1);
    queue.end(new Error('broken'));
    queue.end();
    queue.push('late', 1);
    await expect(queue.next()).resolves.toBe('a');
    await expect(queue.next()).rejects.toThrow('broken');
    const waiting = newQueue();
    const next = waiting.next();
    waiting.end(new Error('broken'));
    await expect(next).rejects.toThrow('broken');
  });

  it('discards all items and a failure when it is dropped', async () => {
    const queue = newQueue();
    queue.push('a', 1);
    queue.end(new Error('broken'));
    queue.drop();
    await expect(queue.next()).resolves.toBeUndefined();
    const waiting = newQueue();
    const next = waiting.next();
    waiting.drop();
    await expect(next).resolves.toBeUndefined();
  });
});
