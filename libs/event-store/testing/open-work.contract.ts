import { addMs, type Instant, type MerchantLogin } from '@app/kernel';
import type { DueLane, OpenWork, WorkChange, WorkItem } from '../work/open-work';
import type { StreamName } from '../core/port';

export interface OpenWorkFixture {
  readonly work: OpenWork;
  apply(changes: readonly WorkChange[]): Promise<void>;
  close(): Promise<void>;
}

const NOW = 1_790_000_000_000 as Instant;

const item = (key: string, lane: string, dueInMs = 0): WorkItem => ({
  key,
  stream: `payment-${key}` as StreamName,
  task: 'submit',
  dueAt: addMs(NOW, dueInMs),
  merchant: 'acme' as MerchantLogin,
  lane,
});
const due = (...items: readonly WorkItem[]): readonly WorkChange[] => items.map((item) => ({ kind: 'due', item }));
const done = (...items: readonly WorkItem[]): readonly WorkChange[] => items.map(({ key }) => ({ kind: 'done', key }));
const keysOf = (items: readonly WorkItem[]): readonly string[] => items.map(({ key }) => key);
const later = (ms: number): Instant => addMs(NOW, ms);

export const openWorkContract = (name: string, open: () => Promise<OpenWorkFixture>): void => {
  describe(`open work in ${name}`, () => {
    let fixture: OpenWorkFixture;
    let work: OpenWork;

    const lanesAt = async (now: Instant, limit = 100, after?: DueLane): Promise<readonly string[]> =>
      (await work.dueLanes(now, limit, after)).lanes.map(({ lane }) => lane);
    const ofLane = async (lane: string, limit = 100): Promise<readonly string[]> => keysOf(await work.firstOf([{ lane }], limit));

    beforeEach(async () => {
      fixture = await open();
      ({ work } = fixture);
    });
    afterEach(() => fixture.close());

    it('lists nothing while it is empty', async () => {
      await expect(work.dueLanes(NOW, 10)).resolves.toStrictEqual({ lanes: [], nextDueAt: undefined });
      await expect(work.firstOf([{ lane: 'a' }], 10)).resolves.toStrictEqual([]);
      await expect(work.firstOf([], 10)).resolves.toStrictEqual([]);
      await expect(work.list({ limit: 10 })).resolves.toStrictEqual([]);
      await work.rest(['a']);
      await work.postpone({ key: 'a', dueAt: NOW }, later(1));
      await expect(work.dueLanes(NOW, 10)).resolves.toStrictEqual({ lanes: [], nextDueAt: undefined });
    });

    it('lists lanes with due work, longest waiting first, and the next due time', async () => {
      await fixture.apply(due(item('1', 'b', -5), item('2', 'a', -5), item('3', 'c', -9), item('4', 'd', 3), item('5', 'e', 7)));
      await expect(work.dueLanes(NOW, 10)).resolves.toStrictEqual({
        lanes: [
          { lane: 'c', since: later(-9) },
          { lane: 'a', since: later(-5) },
          { lane: 'b', since: later(-5) },
        ],
        nextDueAt: later(3),
      });
      await expect(work.dueLanes(later(3), 10)).resolves.toMatchObject({ nextDueAt: later(7) });
      await expect(work.dueLanes(later(7), 10)).resolves.toMatchObject({ nextDueAt: undefined });
    });

    it('lists lanes page by page', async () => {
      await fixture.apply(due(...Array.from({ length: 25 }, (_, number) => item(`${number}`, `lane-${number}`, -(number % 3)))));
      const pages: string[][] = [];
      let after: DueLane | undefined;
      do {
        const { lanes } = await work.dueLanes(NOW, 10, after);
        pages.push(lanes.map(({ lane }) => lane));
        after = lanes.at(-1);
      } while (after !== undefined);
      expect(pages.map(({ length }) => length)).toStrictEqual([10, 10, 5, 0]);
      expect(new Set(pages.flat()).size).toBe(25);
    });

    it('lists the first items of each requested lane by due time, due or not', async () => {
      const old = Array.from({ length: 40 }, (_, number) => item(`a-${String(number).padStart(2, '0')}`, 'a', -100 + number));
      const wanted = item('b-1', 'b', 50);
      await fixture.apply(due(...old.toReversed(), wanted, item('c-1', 'c')));
      const read = await work.firstOf([{ lane: 'a' }, { lane: 'b' }, { lane: 'unknown' }], 3);
      expect(read.filter(({ lane }) => lane === 'a')).toStrictEqual(old.slice(0, 3));
      expect(read.filter(({ lane }) => lane !== 'a')).toStrictEqual([wanted]);
      await fixture.apply(due(item('d-2', 'd'), item('d-1', 'd'), item('d-3', 'd', -1)));
      await expect(ofLane('d')).resolves.toStrictEqual(['d-3', 'd-1', 'd-2']);
    });

    it('lists the items of a lane page by page, each from its own place', async () => {
      const of = (lane: string, count: number) =>
        Array.from({ length: count }, (_, number) => item(`${lane}-${number}`, lane, Math.floor(number / 3)));
      const [a, b] = [of('a', 8), of('b', 4)];
      await fixture.apply(due(...a.toReversed(), ...b));
      const first = await work.firstOf([{ lane: 'a', after: a[3] }, { lane: 'b' }], 3);
      expect(first.filter(({ lane }) => lane === 'a')).toStrictEqual(a.slice(4, 7));
      expect(first.filter(({ lane }) => lane === 'b')).toStrictEqual(b.slice(0, 3));
      await expect(work.firstOf([{ lane: 'a', after: a[6] }], 3)).resolves.toStrictEqual(a.slice(7));
      await expect(work.firstOf([{ lane: 'a', after: a[7] }], 3)).resolves.toStrictEqual([]);
      await expect(work.firstOf([{ lane: 'a', after: { dueAt: NOW, key: 'a-' } }], 1)).resolves.toStrictEqual(a.slice(0, 1));
    });

    it('lists a rescheduled item once, and no longer lists a finished item', async () => {
      const one = item('1', 'a', -1);
      await fixture.apply(due(one, item('2', 'a')));
      await fixture.apply([...due(item('1', 'b', 5)), ...done(item('2', 'a'))]);
      await expect(ofLane('a')).resolves.toStrictEqual([]);
      await expect(work.firstOf([{ lane: 'b' }], 10)).resolves.toStrictEqual([item('1', 'b', 5)]);
      await expect(work.list({ limit: 10 })).resolves.toStrictEqual([item('1', 'b', 5)]);
    });

    it('keeps a lane listed until it rests, and lists a resting lane again once it has due work', async () => {
      await fixture.apply(due(item('1', 'a', -9), item('2', 'b', -5), item('3', 'a', 40), item('4', 'c', -1)));
      await fixture.apply(done(item('1', 'a'), item('4', 'c')));
      await expect(lanesAt(NOW)).resolves.toStrictEqual(['a', 'b', 'c']);
      await work.rest(['a', 'c']);
      await expect(work.dueLanes(NOW, 10)).resolves.toStrictEqual({ lanes: [{ lane: 'b', since: later(-5) }], nextDueAt: later(40) });
      await expect(lanesAt(later(40))).resolves.toStrictEqual(['b', 'a']);
      await fixture.apply(due(item('5', 'a', 20), item('6', 'c', -20)));
      await expect(lanesAt(later(20))).resolves.toStrictEqual(['c', 'b', 'a']);
      await work.rest(['b']);
      await expect(lanesAt(NOW)).resolves.toStrictEqual(['c', 'b']);
    });

    it('postpones an item only if its due time is unchanged since it was read', async () => {
      await fixture.apply(due(item('1', 'a', -1)));
      await work.postpone({ key: '1', dueAt: NOW }, later(9));
      await expect(work.firstOf([{ lane: 'a' }], 1)).resolves.toStrictEqual([item('1', 'a', -1)]);
      await work.postpone({ key: '1', dueAt: later(-1) }, later(5));
      await expect(work.firstOf([{ lane: 'a' }], 1)).resolves.toStrictEqual([item('1', 'a', 5)]);
      await work.rest(['a']);
      await expect(work.dueLanes(NOW, 10)).resolves.toStrictEqual({ lanes: [], nextDueAt: later(5) });
      // An earlier due time must move its lane too.
      await work.postpone({ key: '1', dueAt: later(5) }, later(-3));
      await expect(work.dueLanes(NOW, 10)).resolves.toMatchObject({ lanes: [{ lane: 'a', since: later(-3) }] });
    });

    it('lists items in key order, optionally only those of given tasks', async () => {
      const tasks = ['submit', 'inquire', 'go-on'];
      const items = Array.from({ length: 9 }, (_, number) => ({ ...item(`k${number}`, 'a', -number), task: tasks[number % 3] ?? '' }));
      await fixture.apply(due(...items));
      await expect(work.list({ limit: 4 })).resolves.toStrictEqual(items.slice(0, 4));
      await expect(work.list({ limit: 100, after: 'k3' })).resolves.toStrictEqual(items.slice(4));
      expect(keysOf(await work.list({ limit: 2, after: 'k0', tasks: ['submit', 'go-on'] }))).toStrictEqual(['k2', 'k3']);
    });

    it('accepts any text as a lane or key', async () => {
      const odd = ['o\'neil/%_"\\', '__proto__', '7', 'äöü €/ 😀', '{}'];
      const items = odd.map((lane, number) => item(`${number}${lane}`, lane, -number));
      await fixture.apply(due(...items));
      await expect(lanesAt(NOW)).resolves.toStrictEqual(odd.toReversed());
      for (const wanted of items) await expect(work.firstOf([{ lane: wanted.lane }], 9)).resolves.toStrictEqual([wanted]);
      await fixture.apply(done(...items));
      await work.rest(odd);
      await expect(lanesAt(NOW)).resolves.toStrictEqual([]);
    });
  });
};
