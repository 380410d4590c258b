import { SubscriptionRunner, type EventStore } from '@app/event-store';
import { eventually, settle, VirtualClock } from '@app/testing';
import type { ReadModelSettings } from '../local-read-model';
import type { ReadModel } from '../read-model';
import { cardReferenceStory, paymentStory } from './order-life';
import { ACME, cardRefIdOf, orderIdOf } from './sample-orders';
import { APPROVED, OPEN, ReadModelWorld, type ReadModelFixture } from './read-model-contract/read-model-world';
import { writeStories } from './written-log';

const WATCH_MS = 5_000;

/** Cases in which the log lacks events that the read model contains. `fixture` creates an empty database, `openStore` an empty log. */
export const lostEndContract = (
  name: string,
  fixture: () => Promise<ReadModelFixture>,
  openStore: () => Promise<EventStore> | EventStore,
): void => {
  describe(`read model ahead of a log that lost its end, on ${name}`, () => {
    const world = new ReadModelWorld(fixture, openStore);
    const { connect, live, over, project, write } = world;
    beforeEach(() => world.open());
    afterEach(() => world.close());

    const before = [paymentStory(1, APPROVED), cardReferenceStory(1)];
    const lost = [paymentStory(2, APPROVED), paymentStory(3, OPEN), cardReferenceStory(2)];
    const aheadOfLog = async (settings: Partial<ReadModelSettings> = {}): Promise<ReadModel> => {
      await live([...before, ...lost]);
      await world.replaceStore();
      await write(...before);
      return over(settings);
    };
    const served = async (model: ReadModel): Promise<readonly boolean[]> =>
      Promise.all([...before, ...lost].slice(0, 4).map(async ({ stream }) => (await model.orders.byStream(ACME, stream)) !== undefined));

    it('returns nothing once it detects that it is ahead of the log', async () => {
      const told: string[] = [];
      const model = await aheadOfLog({ onAheadOfLog: (projections) => told.push(...projections) });
      const all = (await model.health()).map(({ projection }) => projection);
      await expect(model.abandonAheadOfLog()).resolves.toStrictEqual(all);
      expect(told).toStrictEqual(all);
      await expect(served(model)).resolves.toStrictEqual([false, false, false, false]);
      await expect(model.cardReferences.byReference(ACME, cardRefIdOf(2))).resolves.toBeUndefined();
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toStrictEqual([]);
      expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(all.map(() => undefined));
      await expect(model.abandonAheadOfLog()).resolves.toStrictEqual([]);
    });

    it('returns nothing in another process, from the next query after the detection', async () => {
      const model = await aheadOfLog();
      const other = over({}, await connect());
      await expect(served(other)).resolves.toStrictEqual([true, false, true, true]);
      await model.abandonAheadOfLog();
      await expect(served(other)).resolves.toStrictEqual([false, false, false, false]);
    });

    it('is projected again from the current log, and follows later events', async () => {
      const model = await aheadOfLog();
      await expect(model.position()).resolves.toBe(await world.store.head());
      await expect(served(model)).resolves.toStrictEqual([true, false, false, false]);
      const fresh = paymentStory(4, OPEN);
      await write(fresh);
      await project(model);
      await expect(model.orders.byStream(ACME, fresh.stream)).resolves.toMatchObject({ view: { orderId: orderIdOf('p', 4) } });
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toMatchObject([{ stream: fresh.stream }]);
    });

    it('can be rebuilt', async () => {
      const model = await aheadOfLog();
      await expect(world.local().rebuild('all')).resolves.toMatchObject({ parkedStreams: 0, position: await world.store.head() });
      await expect(served(model)).resolves.toStrictEqual([true, false, false, false]);
    });

    it('is projected again while it runs, once two checks detect that it is ahead', async () => {
      const scheduler = new VirtualClock();
      let current = world.store;
      const log: EventStore = {
        append: (...asked) => current.append(...asked),
        read: (...asked) => current.read(...asked),
        subscribe: (...asked) => current.subscribe(...asked),
        head: () => current.head(),
        comparePositions: (a, b) => current.comparePositions(a, b),
        close: () => Promise.resolve(),
      };
      const told: string[] = [];
      const model = over({ log, onAheadOfLog: (projections) => told.push(...projections) });
      await write(...before, ...lost);
      const runner = new SubscriptionRunner({ store: log, categories: model.categories, projection: model, clock: scheduler, scheduler });
      runner.start();
      await runner.caughtUp();
      await expect(served(model)).resolves.toStrictEqual([true, false, true, true]);
      const cut = await openStore();
      await writeStories(cut, before);
      current = cut;
      for (let looks = 0; told.length === 0 && looks < 100; looks++) {
        await scheduler.advance(WATCH_MS);
        await settle();
      }
      await eventually(() => runner.health().status === 'live');
      await expect(served(model)).resolves.toStrictEqual([true, false, false, false]);
      await writeStories(cut, [paymentStory(4, OPEN)]);
      let isReached = false;
      void runner.reached(await cut.head()).then(() => (isReached = true));
      await eventually(() => {
        void scheduler.advance(100);
        return isReached;
      });
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toHaveLength(1);
      await runner.stop();
      await cut.close();
    });

    it('is dropped if the log is of another kind with incomparable positions', async () => {
      const log = Object.assign(Object.create(world.store) as EventStore, {
        head: () => world.store.head(),
        comparePositions: () => {
          throw new Error('no position of this log');
        },
      });
      await live(before);
      const model = over({ log });
      await expect(model.abandonAheadOfLog()).resolves.not.toStrictEqual([]);
    });
  });
};
