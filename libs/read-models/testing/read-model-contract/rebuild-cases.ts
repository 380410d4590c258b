import { sql, type KyselyPlugin } from 'kysely';
import type { EventStore, Position, StoredEvent, SubscriptionItem } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { ReadModelDatabase } from '../../engine/database/database';
import type { Decode, EventLog } from '../../engine/log-event';
import { RebuildRefused } from '../../engine/rebuild/new-generations';
import { mortal } from '../dying-database';
import { cardReferenceStory, paymentStory, recurringStory } from '../order-life';
import { ACME, orderIdOf } from '../sample-orders';
import { PROJECTIONS, storedRows } from '../stored-rows';
import { decode, orderWork, wholeLog, writeStories } from '../written-log';
import { APPROVED, DECLINED, OPEN, STATEMENTS_MAX, type ReadModelWorld } from './read-model-world';

const lagless = (store: EventStore): Omit<EventLog, 'subscribe'> => ({
  read: (stream, from) => store.read(stream, from),
  comparePositions: (a, b) => store.comparePositions(a, b),
  head: () => store.head(),
});

const laggingLog = (store: EventStore, last: StoredEvent, looks: number): EventLog => {
  let looked = 0;
  const isBehind = (): boolean => looked <= looks;
  return {
    read: (stream, from) => store.read(stream, from),
    comparePositions: (a, b) => store.comparePositions(a, b),
    head: () => {
      looked += 1;
      return isBehind() ? Promise.resolve(last.position) : store.head();
    },
    subscribe: (categories, after) => {
      const whole = store.subscribe(categories, after);
      if (!isBehind()) return whole;
      const part = async function* (): AsyncGenerator<SubscriptionItem> {
        for await (const item of whole) {
          if (item.kind === 'event' && store.comparePositions(item.event.position, last.position) <= 0) yield item;
          else break;
        }
        yield { kind: 'caught-up' };
      };
      return { cancel: () => whole.cancel(), [Symbol.asyncIterator]: part };
    },
  };
};

export const rebuildCases = (world: ReadModelWorld): void => {
  const { connect, local, over, project, write, live } = world;

  describe('rebuild', () => {
    const stories = [
      paymentStory(1, APPROVED),
      recurringStory(2, DECLINED),
      paymentStory(3, [0, 4, 0, 2]),
      cardReferenceStory(1),
      paymentStory(4, OPEN),
      recurringStory(5, [0, 1, 1, 0, 0, 0], ['sim-a', 'sim-b']),
    ];

    it('creates the same rows in a new generation and drops the old one', async () => {
      const model = await live(stories);
      const before = await storedRows(world.database);
      const { projections, parkedStreams } = await local().rebuild('all');
      expect(parkedStreams).toBe(0);
      expect(projections.map(({ projection, generation }) => [projection, generation])).toStrictEqual(PROJECTIONS.map((name) => [name, 2]));
      expect(projections.slice(0, 2)).toMatchObject([{ rows: before.order_status.length }, { rows: before.card_reference.length }]);
      expect(await storedRows(world.database)).toStrictEqual(before);
      expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(PROJECTIONS.map(() => 2));
      await expect(sql`select 1 from order_status_g1`.execute(world.database.writes)).rejects.toThrow();
      expect(await world.database.writes.selectFrom('checkpoints').selectAll().execute()).toHaveLength(PROJECTIONS.length);
    });

    it('notifies listeners of open work once that postponed due times were reset', async () => {
      const model = await live(stories);
      const work = model.openWork('orders');
      let times = 0;
      work.onRebuilt?.(() => void times++);
      const [before] = await work.list({ limit: 1 });
      if (before === undefined) throw new Error('no order is open');
      await work.postpone(before, 0 as Instant);
      expect(times).toBe(0);
      await local().rebuild('all');
      await expect(work.list({ limit: 1 })).resolves.toStrictEqual([before]);
      await work.list({ limit: 1 });
      expect(times).toBe(1);
    });

    it('can be limited to one projection', async () => {
      const model = await live(stories);
      await local().rebuild(['card-reference']);
      expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(
        PROJECTIONS.map((name) => (name === 'card-reference' ? 2 : 1)),
      );
      await expect(local().rebuild(['card-references'])).rejects.toThrow('no projection is named card-references; there are order-status');
    });

    it('keeps the old generation serving and following the log during the rebuild, even in another process', async () => {
      let events = Number.NaN;
      let fed: Promise<unknown> = Promise.resolve('nothing was fed');
      const counting: Decode = (stored) => {
        events += 1;
        if (events === 5) fed = feed();
        return decode(stored);
      };
      const model = await live(stories, { decode: counting });
      const feed = async (): Promise<unknown> => {
        await write(paymentStory(7, APPROVED));
        await project(model);
        return model.orders.byOrderId(ACME, orderIdOf('p', 7));
      };
      const elsewhere = over({}, await connect());
      await expect(elsewhere.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeDefined();
      events = 0;
      // Uses the same connection: two connections in one thread would deadlock.
      await local({ decode: counting }).rebuild('all');
      await expect(fed).resolves.toMatchObject({ view: { status: 'approved' } });
      for (const asked of [model, elsewhere]) {
        await expect(asked.orders.byOrderId(ACME, orderIdOf('p', 7))).resolves.toMatchObject({ view: { status: 'approved' } });
      }
      await write(paymentStory(8, APPROVED));
      await project(model);
      const rows = await storedRows(world.database);
      expect(rows.order_status).toHaveLength(7);
      await local().rebuild('all');
      expect(await storedRows(world.database)).toStrictEqual(rows);
    });

    it('keeps the old generation serving if the process dies, and starts over next time', async () => {
      const model = await live(stories);
      const before = await storedRows(world.database);
      let deaths = 0;
      for (let statements = 0; statements < STATEMENTS_MAX; statements += 7) {
        const process = mortal(await connect());
        const dying = local({}, process.database);
        process.dieAfter(statements);
        const died = await dying.rebuild('all').then(
          () => false,
          () => true,
        );
        expect(await storedRows(world.database)).toStrictEqual(before);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
      expect(await world.database.writes.selectFrom('checkpoints').selectAll().execute()).toHaveLength(PROJECTIONS.length);
    });

    it('leaves no process on the old generation, at whichever statement the rebuilding process dies', async () => {
      const model = await live(stories);
      const other = over({}, await connect());
      for (let statements = 0, next = 10; ; statements += 5, next++) {
        expect(statements).toBeLessThan(STATEMENTS_MAX);
        await expect(other.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeDefined();
        const process = mortal(await connect());
        process.dieAfter(statements);
        const died = await local({}, process.database)
          .rebuild('all')
          .then(
            () => false,
            () => true,
          );
        await write(paymentStory(next, OPEN));
        await project(model);
        for (const reader of [model, other]) await expect(reader.orders.byOrderId(ACME, orderIdOf('p', next))).resolves.toBeDefined();
        if (!died) break;
      }
    });

    it.each([
      ['before it writes', 1],
      ['before it takes over', 2],
    ])('fails and names the conflict if another rebuild started %s', async (_when, atSession) => {
      let sessions = 0;
      await live(stories);
      const others: Promise<unknown>[] = [];
      const overtaken = async function* (items: AsyncIterable<SubscriptionItem>): AsyncGenerator<SubscriptionItem> {
        if (++sessions === atSession) others.push(local({}, await connect()).rebuild('all'));
        await others[0];
        yield* items;
      };
      const slow: EventLog = {
        ...lagless(world.store),
        subscribe: (categories, after) => {
          const session = world.store.subscribe(categories, after);
          return { cancel: () => session.cancel(), [Symbol.asyncIterator]: () => overtaken(session) };
        },
      };
      const before = await storedRows(world.database);
      await expect(local({ log: slow }, await connect()).rebuild('all')).rejects.toThrow('another rebuild began meanwhile');
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('refuses tables of another shape than the serving ones, and names them; build() then builds them', async () => {
      const model = await live(stories);
      const other = { openWork: [{ ...orderWork, shape: orderWork.shape + 1 }] };
      const next = local(other, await connect());
      await expect(next.rebuild('all')).rejects.toThrow(
        new RebuildRefused('open-work:orders: this release projects other tables than those that serve; it builds them when it starts'),
      );
      expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(PROJECTIONS.map(() => 1));
      await next.rebuild(['order-status']);
      await expect(next.build()).resolves.toMatchObject({ projections: [{ projection: 'open-work:orders', generation: 2 }] });
    });

    it('does not switch if a new row fails its checksum when it is read back', async () => {
      const model = await live(stories);
      const before = await storedRows(world.database);
      const reading = await connect();
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: ({ result }) => {
          const rows = result.rows.map((row) => ('checksum' in row && 'unknown_since' in row ? { ...row, order_id: 'x' } : row));
          return Promise.resolve({ ...result, rows });
        },
      };
      const spoilt = local({}, { ...reading, reads: reading.reads.withPlugin(plugin) });
      await expect(spoilt.rebuild('all')).rejects.toThrow(/^order-status: the new row of .* does not fit its checksum/);
      expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(PROJECTIONS.map(() => 1));
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('never ends before the old checkpoint', async () => {
      await live(stories);
      const before = await storedRows(world.database);
      const [, , third] = await wholeLog(world.store, orderWork.categories);
      if (third === undefined) throw new Error('no events');
      const lagging = laggingLog(world.store, third, 3);
      const builder = local({ log: lagging }, await connect());
      const { position } = await builder.rebuild('all');
      expect(position).toBe(await world.store.head());
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('gives up after 50 rounds if its log never reaches the serving position', async () => {
      await live(stories);
      const before = await storedRows(world.database);
      const [first] = await wholeLog(world.store, orderWork.categories);
      if (first === undefined) throw new Error('no events');
      let looked = 0;
      // The head is correct at the first read, so the serving generation is not ahead of the log.
      const head = (): Promise<Position> => (++looked === 1 ? world.store.head() : Promise.resolve(first.position));
      const behind = local({ log: { ...laggingLog(world.store, first, Infinity), head } }, await connect());
      await expect(behind.rebuild('all')).rejects.toThrow('the new read models did not come level with the old ones in 50 rounds');
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('fails if its subscription ends before it has read to the head', async () => {
      await live(stories);
      const before = await storedRows(world.database);
      const cut: EventLog = {
        ...lagless(world.store),
        subscribe: (categories, after) => {
          const session = world.store.subscribe(categories, after);
          const ended = { next: () => Promise.resolve({ done: true as const, value: undefined }) };
          return { cancel: () => session.cancel(), [Symbol.asyncIterator]: () => ended };
        },
      };
      await expect(local({ log: cut }, await connect()).rebuild('all')).rejects.toThrow('the subscription ended before it had caught up');
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('writes many rows, on a bulk writer if the database has one', async () => {
      const lives = [APPROVED, DECLINED, OPEN, [0, 4, 0], [0, 0, 0, 0]];
      const many = Array.from({ length: 300 }, (_, number) => {
        const choices = lives[number % lives.length] ?? OPEN;
        return number % 2 === 0 ? paymentStory(number, choices) : recurringStory(number, choices);
      });
      let loads = 0;
      const { bulkLoad } = world.database;
      const counted: ReadModelDatabase = {
        ...world.database,
        ...(bulkLoad && {
          bulkLoad: () => {
            loads += 1;
            return bulkLoad();
          },
        }),
      };
      const model = local({ gatheredRowsMax: 50 }, counted);
      await model.build();
      await writeStories(
        world.store,
        many,
        many.map((_, index) => index),
      );
      await project(model);
      const before = await storedRows(world.database);
      await model.rebuild('all');
      expect(loads).toBe(bulkLoad === undefined ? 0 : 1);
      expect(before.order_status).toHaveLength(300);
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('is refused while another rebuild runs', async () => {
      await live(stories);
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const late = async function* (items: AsyncIterable<SubscriptionItem>): AsyncGenerator<SubscriptionItem> {
        await held;
        yield* items;
      };
      const slow: EventLog = {
        ...lagless(world.store),
        subscribe: (categories, after) => {
          const session = world.store.subscribe(categories, after);
          return { cancel: () => session.cancel(), [Symbol.asyncIterator]: () => late(session) };
        },
      };
      const model = local({ log: slow }, await connect());
      const first = model.rebuild('all');
      await expect(model.rebuild('all')).rejects.toThrow('a rebuild is under way');
      goOn();
      await first;
    });
  });
};
