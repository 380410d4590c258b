import { SubscriptionRunner, type EventStore } from '@app/event-store';
import type { Clock } from '@app/kernel';
import { eventually, settle, VirtualClock } from '@app/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { ReadModel, type ReadModelSettings } from '../engine/read-model';
import { ACME, cardRefIdOf, cardReferenceStory, orderIdOf, paymentStory, START, type Story } from './order-life';
import type { ReadModelFixture } from './read-model.contract';
import { decode, orderWork, wholeLog, writeStories } from './written-log';

const clock: Clock = { now: () => START };
const APPROVED = [0, 0, 0, 1];
const OPEN = [0, 2];
const WATCH_MS = 5_000;

/**
 * What a read model must do where the log holds less than it was folded from, on whatever database and whatever log: `fixture` makes an empty
 * database, `openStore` an empty log.
 */
export const lostEndContract = (
  name: string,
  fixture: () => Promise<ReadModelFixture>,
  openStore: () => Promise<EventStore> | EventStore,
): void => {
  describe(`the read model of a log that lost its end, on ${name}`, () => {
    let place: ReadModelFixture;
    let database: ReadModelDatabase;
    let store: EventStore;
    const opened: ReadModelDatabase[] = [];

    const connect = async (): Promise<ReadModelDatabase> => {
      const connection = await place.open();
      opened.push(connection);
      return connection;
    };
    const over = (settings: Partial<ReadModelSettings> = {}, connection = database): ReadModel =>
      ReadModel.over(connection, { log: store, decode, clock, openWork: [orderWork], ...settings });
    const project = async (model: ReadModel): Promise<void> => {
      const events = await wholeLog(store, model.categories);
      const last = events.at(-1);
      if (last !== undefined) await model.apply(events, last.position);
    };
    const write = (...stories: readonly Story[]): Promise<void> => writeStories(store, stories);
    const live = async (stories: readonly Story[]): Promise<void> => {
      const model = over();
      await model.build();
      await write(...stories);
      await project(model);
    };

    beforeEach(async () => {
      place = await fixture();
      store = await openStore();
      database = await connect();
    });
    afterEach(async () => {
      await store.close();
      for (const connection of opened.splice(0)) await connection.close();
      await place.remove();
    });

    const before = [paymentStory(1, APPROVED), cardReferenceStory(1)];
    const lost = [paymentStory(2, APPROVED), paymentStory(3, OPEN), cardReferenceStory(2)];
    /** Folded from a log that went on; the log as it is now holds what was written before. */
    const aheadOfLog = async (settings: Partial<ReadModelSettings> = {}): Promise<ReadModel> => {
      await live([...before, ...lost]);
      await store.close();
      store = await openStore();
      await write(...before);
      return over(settings);
    };
    const served = async (model: ReadModel): Promise<readonly boolean[]> =>
      Promise.all([...before, ...lost].slice(0, 4).map(async ({ stream }) => (await model.orders.byStream(ACME, stream)) !== undefined));

    it('nothing is told that the log does not hold, from the moment that it is seen', async () => {
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

    it('another process hears of it by its next question', async () => {
      const model = await aheadOfLog();
      const other = over({}, await connect());
      await expect(served(other)).resolves.toStrictEqual([true, false, true, true]);
      await model.abandonAheadOfLog();
      await expect(served(other)).resolves.toStrictEqual([false, false, false, false]);
    });

    it('the projector folds the log as it is, and what is written from then on is projected and worked on', async () => {
      const model = await aheadOfLog();
      await expect(model.position()).resolves.toBe(await store.head());
      await expect(served(model)).resolves.toStrictEqual([true, false, false, false]);
      const fresh = paymentStory(4, OPEN);
      await write(fresh);
      await project(model);
      await expect(model.orders.byStream(ACME, fresh.stream)).resolves.toMatchObject({ view: { orderId: orderIdOf('p', 4) } });
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toMatchObject([{ stream: fresh.stream }]);
    });

    it('a rebuild works', async () => {
      const model = await aheadOfLog();
      await expect(model.rebuild('all')).resolves.toMatchObject({ parkedStreams: 0, position: await store.head() });
      await expect(served(model)).resolves.toStrictEqual([true, false, false, false]);
    });

    it('in the run too, once it was seen twice', async () => {
      const scheduler = new VirtualClock();
      let current = store;
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
        // A batch that left others waiting rests, by this clock.
        void scheduler.advance(100);
        return isReached;
      });
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toHaveLength(1);
      await runner.stop();
      await cut.close();
    });

    it('and of another kind of log, whose positions say nothing of this one', async () => {
      const log = Object.assign(Object.create(store) as EventStore, {
        head: () => store.head(),
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
