import fc from 'fast-check';
import { sql } from 'kysely';
import { categoryOf, streamName, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { ReadModelDatabase } from '../engine/database/database';
import { CannotApply } from '../engine/faults';
import type { Decode, LogEvent } from '../engine/log-event';
import { partitionOf, type PartitionKey } from '../engine/projecting/partitions';
import { LocalReadModel, type ReadModelSettings } from '../local-read-model';
import type { OpenWorkDefinition } from '../work/open-work.table';
import { cardReferenceStory, paymentStory, type Story } from './order-life';
import { APPROVED, clock, OPEN, type ReadModelFixture } from './read-model-contract/read-model-world';
import { ACME, orderIdOf } from './sample-orders';
import { PROJECTIONS, storedRows, type StoredRows } from './stored-rows';
import { decode, orderWork, wholeLog, writeStories } from './written-log';

const ORDERS = 12;

export const partitionsContract = (name: string, fixture: () => Promise<ReadModelFixture>, openStore: () => EventStore): void => {
  describe(`read models projected in partitions on ${name}`, () => {
    let place: ReadModelFixture;
    let store: EventStore;
    let database: ReadModelDatabase;
    const opened: ReadModelDatabase[] = [];

    beforeEach(async () => {
      place = await fixture();
      store = openStore();
      database = await connect();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
      await store.close();
      await place.remove();
    });

    const connect = async (): Promise<ReadModelDatabase> => {
      const connection = await place.open();
      opened.push(connection);
      return connection;
    };
    const processOf = async (number: number, of: number, settings: Partial<ReadModelSettings> = {}): Promise<LocalReadModel> =>
      LocalReadModel.over(await connect(), { log: store, decode, clock, openWork: [orderWork], partition: { number, of }, ...settings });
    const all = async (of: number, settings: Partial<ReadModelSettings> = {}): Promise<readonly LocalReadModel[]> => {
      const models: LocalReadModel[] = [];
      for (let number = 1; number <= of; number++) {
        const model = await processOf(number, of, settings);
        await model.position();
        models.push(model);
      }
      return models;
    };
    const project = async (model: LocalReadModel, events?: readonly StoredEvent[]): Promise<void> => {
      const told = events ?? (await wholeLog(store, model.categories));
      const last = told.at(-1);
      if (last !== undefined) await model.apply(told, last.position);
    };
    const stories = Array.from({ length: ORDERS }, (_, at) => paymentStory(at + 1, at % 2 === 0 ? APPROVED : OPEN));
    const interleaved = Array.from({ length: 40 }, (_, at) => (at * 7) % ORDERS);
    const partOf = (number: number, of: number): readonly Story[] => stories.filter(({ stream }) => partitionOf(stream, of) === number);
    const whole = async (settings: Partial<ReadModelSettings> = {}): Promise<StoredRows> => {
      const other = await fixture();
      try {
        const own = await other.open();
        const model = LocalReadModel.over(own, { log: store, decode, clock, openWork: [orderWork], ...settings });
        await model.rebuild('all');
        const rows = await storedRows(own);
        await own.close();
        return rows;
      } finally {
        await other.remove();
      }
    };
    const known = async (model: LocalReadModel): Promise<number> =>
      (await Promise.all(stories.map(({ stream }) => model.orders.byStream(ACME, stream)))).filter((found) => found !== undefined).length;

    it.each([2, 3, 5])('contain, in %d partitions, the same rows as in one process', async (of) => {
      const models = await all(of);
      await writeStories(store, [...stories, cardReferenceStory(1), cardReferenceStory(2)], interleaved);
      for (const model of models) await project(model);
      expect(await storedRows(database)).toStrictEqual(await whole());
      expect((await models[0]?.health())?.map(({ position }) => position)).toStrictEqual(
        Array(PROJECTIONS.length).fill(await store.head()),
      );
    });

    it('return the orders of a partition that is ahead, and report the position of the slowest partition', async () => {
      const [first, second] = (await all(2)) as [LocalReadModel, LocalReadModel];
      const before = await first.position();
      await writeStories(store, stories);
      await project(second);
      expect(await known(first)).toBe(partOf(2, 2).length);
      expect((await second.health()).map(({ position }) => position)).toStrictEqual(Array(PROJECTIONS.length).fill(before));
      await expect(second.position()).resolves.toBe(await store.head());
      await project(first);
      expect(await known(second)).toBe(ORDERS);
    });

    it('are built by the owner of the first partition, while the others wait', async () => {
      await writeStories(store, stories);
      const second = await processOf(2, 2);
      await expect(second.position()).rejects.toThrow('not built yet by whoever projects the first partition');
      const first = await processOf(1, 2);
      await first.position();
      await expect(second.position()).resolves.toBe(await store.head());
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it('fence out only the previous owner of the same partition', async () => {
      const [first, second] = (await all(2)) as [LocalReadModel, LocalReadModel];
      const later = await processOf(1, 2);
      await later.position();
      await writeStories(store, stories);
      await expect(project(first)).rejects.toThrow('another process projects');
      expect([first.isFencedOut, second.isFencedOut, later.isFencedOut]).toStrictEqual([true, false, false]);
      expect([second.hasFirstPartition, later.hasFirstPartition]).toStrictEqual([false, true]);
      await project(second);
      await project(later);
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it('are repartitioned by a process with another count, from the slowest position, and fence out earlier owners', async () => {
      const [alone] = (await all(1)) as [LocalReadModel];
      await writeStories(store, stories.slice(0, 4));
      await project(alone);
      const two = (await all(2)) as [LocalReadModel, LocalReadModel];
      await writeStories(store, stories.slice(4, 8));
      await expect(project(alone)).rejects.toThrow('the read models are projected in partitions by now');
      await expect(alone.position()).rejects.toThrow('the read models are projected in 2 partitions by now, not in 1');
      await alone.release();
      await project(two[1]);
      const three = await all(3);
      await writeStories(store, stories.slice(8));
      await expect(project(two[0])).rejects.toThrow('another process projects');
      await expect(two[0].position()).rejects.toThrow('the read models are projected in 3 partitions by now, not in 2');
      for (const model of three) await project(model);
      expect(await storedRows(database)).toStrictEqual(await whole());
      const [again] = (await all(1)) as [LocalReadModel];
      await expect(project(three[2] as LocalReadModel)).rejects.toThrow('the read models have no partition 3 by now');
      await project(again);
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it('can be owned again with an earlier count, from the position projected since', async () => {
      const former = await all(2);
      await writeStories(store, stories.slice(0, 4));
      for (const model of await all(3)) await project(model);
      await all(2);
      await writeStories(store, stories.slice(4));
      for (const model of former) {
        await expect(project(model)).rejects.toThrow('another process projects');
        await model.release();
      }
      const again = await all(2);
      for (const model of again) await project(model);
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it('continue in the generations that a concurrent rebuild made', async () => {
      const models = await all(2);
      await writeStories(store, stories.slice(0, 6));
      await project(models[0] as LocalReadModel);
      const builder = await processOf(1, 1);
      await builder.rebuild('all');
      await writeStories(store, stories.slice(6));
      for (const model of models) await project(model);
      expect((await builder.health()).map(({ generation }) => generation)).toStrictEqual(Array(PROJECTIONS.length).fill(2));
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it.each([1, 2])('resume a parked stream up to the position of its own partition, requested from process %d', async (asked) => {
      const [poisoned] = partOf(2, 2).filter(({ events }) => events.some(({ type }) => type === 'OrderApproved')) as [Story];
      let isPoison = true;
      const poison: Decode = (stored) => {
        if (isPoison && stored.stream === poisoned.stream && stored.type === 'AttemptApproved') throw new CannotApply('not yet');
        return decode(stored);
      };
      const models = (await all(2, { decode: poison })) as [LocalReadModel, LocalReadModel];
      const events = poisoned.events.length;
      await writeStories(store, [poisoned]);
      const half = await wholeLog(store, models[1].categories);
      await project(models[0]);
      await project(models[1], half.slice(0, events - 1));
      expect(await models[1].parkedStreams(1)).toMatchObject([{ stream: poisoned.stream }]);
      isPoison = false;
      await models[asked - 1]?.rebuildStream(poisoned.stream);
      await expect(models[0].orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ revision: BigInt(events - 2) });
      await project(models[1]);
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    it('rewrite a corrupt row up to the position of its own partition', async () => {
      const models = (await all(2)) as [LocalReadModel, LocalReadModel];
      const [behind] = partOf(2, 2) as [Story];
      await writeStories(store, [behind]);
      const events = await wholeLog(store, models[1].categories);
      await project(models[0]);
      await project(models[1], events.slice(0, -1));
      await sql`update order_status_g1 set view = '{}' where stream = ${behind.stream}`.execute(database.writes);
      await models[0].rewrite({ projection: 'order-status', stream: behind.stream });
      const reached = BigInt(behind.events.length - 2);
      await expect(models[0].orders.byStream(ACME, behind.stream)).resolves.toMatchObject({ revision: reached });
      await project(models[1]);
      expect(await storedRows(database)).toStrictEqual(await whole());
    });

    describe('if a separate stream closes the work that an order opens', () => {
      const CLOSING = 'closing';
      const closingOf = (stream: StreamName): StreamName => streamName(CLOSING, stream);
      const told: OpenWorkDefinition = {
        name: 'orders',
        categories: ['payment', CLOSING],
        shape: 1,
        fold: ({ stream, event }: LogEvent) => {
          const { orderStream } = event.data as { readonly orderStream?: StreamName };
          if (orderStream !== undefined) return [{ kind: 'done', key: orderStream }];
          if (event.type !== 'OrderAccepted') return [];
          return [{ kind: 'due', item: { key: stream, stream, task: 'tell', dueAt: 1 as Instant, merchant: ACME, lane: 'lane' } }];
        },
      };
      const byOrder: PartitionKey = ({ stream, data }) =>
        categoryOf(stream) === CLOSING ? (JSON.parse(data) as { readonly orderStream: StreamName }).orderStream : stream;
      const closed = stories.map(({ stream }): Story => ({ stream: closingOf(stream), events: [{ type: 'Closed', data: { orderStream: stream } }] })); // prettier-ignore

      it('leave no work open, in any order of progress between partitions', () =>
        fc.assert(
          fc.asyncProperty(fc.integer({ min: 2, max: 4 }), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }), async (of, turns) => {
            const other = await fixture();
            const log = openStore();
            const connections: ReadModelDatabase[] = [];
            try {
              const models: LocalReadModel[] = [];
              for (let number = 1; number <= of; number++) {
                const connection = await other.open();
                connections.push(connection);
                const settings = { log, decode, clock, openWork: [told], partition: { number, of }, partitionKey: byOrder };
                const model = LocalReadModel.over(connection, settings);
                await model.position();
                models.push(model);
              }
              await writeStories(log, stories);
              await writeStories(log, closed);
              const events = await wholeLog(log, models[0]?.categories ?? []);
              const reached = models.map(() => 0);
              for (const [who, far] of turns) {
                const at = who % of;
                const from = reached[at] ?? 0;
                const to = Math.min(events.length, from + 1 + (far % 40));
                if (to === from) continue;
                await project(models[at] as LocalReadModel, events.slice(from, to));
                reached[at] = to;
              }
              for (const [at, model] of models.entries()) if ((reached[at] ?? 0) < events.length) await project(model, events.slice(reached[at])); // prettier-ignore
              expect(await models[0]?.openWork('orders').list({ limit: 100 })).toStrictEqual([]);
            } finally {
              for (const connection of connections) await connection.close();
              await log.close();
              await other.remove();
            }
          }),
          { numRuns: 6 },
        ));
    });

    it('all park a stream whose event has no readable partition key', async () => {
      const unread: PartitionKey = ({ stream }) => (stream === stories[0]?.stream ? undefined : stream);
      const poison: Decode = (stored) => {
        if (stored.stream === stories[0]?.stream) throw new CannotApply('nobody can read it');
        return decode(stored);
      };
      const models = await all(2, { decode: poison, partitionKey: unread });
      await writeStories(store, stories);
      for (const model of models) await project(model);
      for (const model of models) await expect(model.parked()).resolves.toStrictEqual([stories[0]?.stream]);
      await expect(models[0]?.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
      expect((await storedRows(database)).order_status).toHaveLength(ORDERS - 1);
    });
  });
};
