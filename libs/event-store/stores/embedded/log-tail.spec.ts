import fc from 'fast-check';
import type { NonEmpty } from '@app/kernel';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import { LogTail } from './log-tail';

const CATEGORIES = ['payment', 'recurring', 'transfer'] as const;

const eventAt = (position: number, length = 2): StoredEvent => ({
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}` as EventId,
  type: 'Tested',
  data: 'x'.repeat(length),
  metadata: '',
  stream: `${CATEGORIES[position % 3] ?? 'payment'}-a` as StreamName,
  revision: BigInt(position) as Revision,
  position: String(position) as Position,
  createdMs: 0,
});

const eventsAt = (first: number, count: number, length?: number): NonEmpty<StoredEvent> => [
  eventAt(first, length),
  ...Array.from({ length: count - 1 }, (_, index) => eventAt(first + 1 + index, length)),
];

const positions = (events: readonly StoredEvent[]): readonly number[] => events.map(({ position }) => Number(position));

const PAGE = fc.record({ kind: fc.constant('page' as const), back: fc.nat(3_000), categories: fc.subarray([...CATEGORIES]) });
const COMMIT = fc.record({ kind: fc.constant('commit' as const), count: fc.integer({ min: 1, max: 700 }), isAnswered: fc.boolean() });

describe('the tail of a log', () => {
  it('tells either all events behind a position, or that the file has to be asked', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(PAGE, COMMIT), { maxLength: 40 }), (steps) => {
        const tail = new LogTail();
        let head = 0;
        let answered = 0;
        for (const step of steps) {
          if (step.kind === 'commit') {
            if (step.isAnswered) {
              tail.add(eventsAt(head + 1, step.count));
              answered = head + step.count;
            }
            head += step.count;
            continue;
          }
          const after = Math.max(0, head - step.back);
          const page = tail.page(step.categories.length === 0 ? undefined : new Set(step.categories), String(after) as Position);
          if (page === undefined) continue;
          const wanted = step.categories.length === 0 ? [...CATEGORIES] : step.categories;
          const all = Array.from({ length: answered - after }, (_, index) => after + 1 + index);
          expect(positions(page.events)).toEqual(all.filter((position) => wanted.includes(CATEGORIES[position % 3] ?? 'payment')));
          expect(page).toMatchObject({ scannedTo: String(answered), isAtEnd: true });
        }
      }),
    );
  });

  it('has what was appended last, and nothing where the position is its end', () => {
    const tail = new LogTail();
    expect(tail.page(undefined, '0' as Position)).toBeUndefined();
    tail.add(eventsAt(5, 2));
    expect(tail.page(undefined, '3' as Position)).toBeUndefined();
    expect(positions(tail.page(undefined, '4' as Position)?.events ?? [])).toEqual([5, 6]);
    expect(tail.page(undefined, '6' as Position)).toEqual({ events: [], scannedTo: '6', isAtEnd: true });
    expect(tail.page(undefined, '7' as Position)).toBeUndefined();
  });

  it('begins anew behind events that it was not told', () => {
    const tail = new LogTail();
    tail.add(eventsAt(1, 2));
    tail.add(eventsAt(5, 1));
    expect(tail.page(undefined, '2' as Position)).toBeUndefined();
    expect(positions(tail.page(undefined, '4' as Position)?.events ?? [])).toEqual([5]);
  });

  it('tells nothing until the next append where it is told of an older one, for the newest events would be missing', () => {
    const tail = new LogTail();
    tail.add(eventsAt(5, 1));
    tail.add(eventsAt(4, 1));
    for (const after of ['3', '4', '5']) expect(tail.page(undefined, after as Position)).toBeUndefined();
    tail.add(eventsAt(6, 1));
    expect(positions(tail.page(undefined, '5' as Position)?.events ?? [])).toEqual([6]);
  });

  it('keeps no more than its bounds, by count and by length', () => {
    const kept = (length: number, count: number): number => {
      const tail = new LogTail();
      for (let position = 1; position <= count; position++) tail.add([eventAt(position, length)]);
      for (let after = 0; after <= count; after++) {
        const page = tail.page(undefined, String(after) as Position);
        if (page !== undefined) return page.events.length;
      }
      return 0;
    };
    expect(kept(2, 10_000)).toBeGreaterThanOrEqual(1_000);
    expect(kept(2, 10_000)).toBeLessThanOrEqual(2_000);
    expect(kept(100_000, 200)).toBeGreaterThanOrEqual(19);
    expect(kept(100_000, 200)).toBeLessThanOrEqual(40);
  });
});
