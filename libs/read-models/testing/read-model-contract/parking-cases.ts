import { type StoredEvent, BrokenChain, streamName } from '@app/event-store';
import { CannotApply } from '../../engine/faults';
import type { Decode, EventLog } from '../../engine/log-event';
import type { ParkedStream } from '../../engine/projecting/projector';
import { READ_MODELS } from '../../projection-list';
import { mortal } from '../dying-database';
import { cardReferenceStory, paymentStory, type Story } from '../order-life';
import { ACME, orderIdOf, paymentAccepted, START } from '../sample-orders';
import { PROJECTIONS, storedRows } from '../stored-rows';
import { decode, orderWork, wholeLog, writeStories } from '../written-log';
import { dyingAtEach } from './projecting-deaths';
import { APPROVED, type ReadModelWorld } from './read-model-world';

async function* mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To, undefined> {
  for await (const item of items) yield change(item);
  return undefined;
}

const OF_PAYMENTS = [...READ_MODELS.filter(({ categories }) => categories.includes('payment')).map(({ name }) => name), 'open-work:orders'];

export const parkingCases = (world: ReadModelWorld): void => {
  const { connect, over, project, write, live } = world;

  describe('parks', () => {
    const poison = (from: readonly string[]): Decode => {
      const types = new Set(from);
      return (stored) => {
        if (types.has(stored.type)) throw new CannotApply(`no release knows ${stored.type}`);
        return decode(stored);
      };
    };

    it('the stream of an event that it cannot decode, and applies all others', async () => {
      const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
      const model = await live([poisoned, paymentStory(2, APPROVED)], { decode: poison(['PayerChallenged']) });
      await expect(model.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({
        revision: 1n,
        view: { stage: 'sale_filtering' },
      });
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 2))).resolves.toMatchObject({ view: { status: 'approved' } });
      expect((await model.health()).map(({ parkedStreams }) => parkedStreams)).toStrictEqual(
        PROJECTIONS.map((name) => (OF_PAYMENTS.includes(name) ? 1 : 0)),
      );
      await expect(model.parked()).resolves.toStrictEqual([poisoned.stream]);
      const [first] = await model.parkedStreams(1);
      expect(first).toMatchObject({
        stream: poisoned.stream,
        revision: 2,
        error: 'CannotApply: no release knows PayerChallenged',
        parkedAt: START,
      });
    });

    it('a stream only in the projection that cannot apply it', async () => {
      const poisoned = paymentStory(1, APPROVED);
      const told: string[] = [];
      const fold = orderWork.fold;
      const model = await live([poisoned], {
        onParked: ({ projection, stream, error }) => told.push(`${projection} ${stream} ${error}`),
        openWork: [
          {
            ...orderWork,
            fold: (event) => {
              if (event.event.type === 'OrderApproved') throw new TypeError(`cannot read ${JSON.stringify(event.id)}`);
              return fold(event);
            },
          },
        ],
      });
      await expect(model.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
      // The message may contain the event's data, so only the error's name is stored.
      expect(told).toStrictEqual([`open-work:orders ${poisoned.stream} TypeError`]);
      await expect(model.parked()).resolves.toStrictEqual([]);
    });

    it('the stream of a row that the database refuses, and writes the others, even in a rebuild', async () => {
      const acceptance = paymentAccepted(1);
      const twin: Story = { stream: streamName('payment', 'twin'), events: [acceptance] };
      const model = await live([paymentStory(1, APPROVED), twin, paymentStory(2, APPROVED), cardReferenceStory(1)]);
      const rows = await storedRows(world.database);
      expect(rows.order_status).toHaveLength(2);
      expect(rows.card_reference).toHaveLength(1);
      expect(rows.parked).toMatchObject([{ projection: 'order-status', stream: twin.stream, revision: 0 }]);
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
      await expect(world.local().rebuild('all')).resolves.toMatchObject({ parkedStreams: 1 });
      expect(await storedRows(world.database)).toStrictEqual(rows);
    });

    it('only the stream of a row that the database refuses, at whichever statement the process dies', async () => {
      const twin: Story = { stream: streamName('payment', 'twin'), events: [paymentAccepted(1)] };
      await live([paymentStory(1, APPROVED), twin, paymentStory(2, APPROVED), cardReferenceStory(1)]);
      const expected = await storedRows(world.database);
      expect(expected.parked).toHaveLength(1);
      const deaths = await dyingAtEach(world, 7, async (fresh, hasDied) => {
        if (hasDied) {
          const next = over({}, fresh);
          await next.position();
          await project(next);
        }
        expect(await storedRows(fresh)).toStrictEqual(expected);
      });
      expect(deaths).toBeGreaterThan(5);
    }, 60_000);

    it('the stream of an event that cannot be read from the log, and continues after that event', async () => {
      const model = over();
      await model.build();
      await write(paymentStory(1, APPROVED));
      const [first, second] = await wholeLog(world.store, model.categories);
      if (first === undefined || second === undefined) throw new Error('no events');
      await model.apply([first], first.position);
      await model.park(second, new Error('the row does not fit its checksum'));
      await expect(model.position()).resolves.toBe(second.position);
      await expect(model.parked()).resolves.toStrictEqual([first.stream]);
      await project(model);
      await expect(model.orders.byStream(ACME, first.stream)).resolves.toMatchObject({ revision: 0n });
    });

    it('a stream with a broken chain, and applies all others, even in a rebuild', async () => {
      const [story, other] = [paymentStory(1, APPROVED), paymentStory(2, APPROVED)];
      const model = over();
      await model.build();
      await write(story, other);
      const isForgedIn = ({ stream, revision }: StoredEvent): boolean => stream === story.stream && revision === 1n;
      const forge = (event: StoredEvent): StoredEvent =>
        isForgedIn(event) ? { ...event, metadata: event.metadata.replace('merchant', 'somebody') } : event;
      await project(model, (await wholeLog(world.store, model.categories)).map(forge));
      const fault = {
        stream: story.stream,
        revision: 2,
        error: expect.stringContaining('it does not follow from the event before it') as string,
      };
      await expect(model.parkedStreams(10)).resolves.toStrictEqual(
        expect.arrayContaining([expect.objectContaining({ projection: 'order-status', ...fault })]) as unknown,
      );
      await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 1n });
      await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });

      const forgedLog: EventLog = {
        read: (...asked) => mapped(world.store.read(...asked), forge),
        subscribe: (...asked) => {
          const subscription = world.store.subscribe(...asked);
          const items = mapped(subscription, (item) => (item.kind === 'event' ? { ...item, event: forge(item.event) } : item));
          return { [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](), cancel: () => subscription.cancel() };
        },
        head: () => world.store.head(),
        comparePositions: (a, b) => world.store.comparePositions(a, b),
      };
      const rebuilt = await world.local({ log: forgedLog }).rebuild(['order-status']);
      expect(rebuilt.parkedStreams).toBe(1);
      await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
    });

    it('streams with a broken chain, and lists them before other parked streams', async () => {
      const model = over();
      await model.build();
      await write(paymentStory(1, APPROVED), paymentStory(2, APPROVED));
      const log = await wholeLog(world.store, model.categories);
      const [early, broken] = [...new Map(log.map((event) => [event.stream, event])).values()].sort((a, b) =>
        a.stream < b.stream ? -1 : 1,
      );
      if (early === undefined || broken === undefined) throw new Error('no events');
      await model.park(early, new CannotApply('no release knows it'));
      await model.park(broken, new BrokenChain(broken, 'it does not follow from the event before it'));
      await expect(model.parkedStreams(1)).resolves.toMatchObject([{ stream: broken.stream }]);
    });

    it('the stream of an event that a rebuild cannot read, and continues after that event', async () => {
      const [story, other] = [paymentStory(1, APPROVED), paymentStory(2, APPROVED)];
      await write(story, other);
      const damagedLog: EventLog = {
        read: (...asked) => world.store.read(...asked),
        subscribe: (...asked) => {
          const subscription = world.store.subscribe(...asked);
          const items = mapped(subscription, (item) => {
            if (item.kind === 'event' && item.event.stream === story.stream && item.event.revision === 1n)
              throw new BrokenChain(item.event, 'the row does not fit its checksum');
            return item;
          });
          return { [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](), cancel: () => subscription.cancel() };
        },
        head: () => world.store.head(),
        comparePositions: (a, b) => world.store.comparePositions(a, b),
      };
      const told: ParkedStream[] = [];
      const model = over({ log: damagedLog, onParked: (parked) => told.push(parked) });
      await model.position();
      await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
      await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 0n });
      expect(told).toStrictEqual(
        expect.arrayContaining([
          expect.objectContaining({
            projection: 'order-status',
            stream: story.stream,
            revision: 1,
            error: expect.stringContaining('checksum') as string,
          }),
        ]) as unknown,
      );
    });

    it('a stream until a release that knows the event resumes it', async () => {
      const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
      const stories = [poisoned, paymentStory(2, APPROVED)];
      const before = await live(stories, { decode: poison(['PayerChallenged', 'PayerReturned']) });
      await expect(before.rebuildStream(poisoned.stream)).resolves.toStrictEqual({
        applied: [],
        stillParked: OF_PAYMENTS,
      });
      const dying = mortal(await connect());
      dying.dieAfter(3);
      await expect(over({}, dying.database).rebuildStream(poisoned.stream)).rejects.toThrow();
      await expect(before.parkedStreams(9)).resolves.toHaveLength(4);
      const half = over({ decode: poison(['PayerReturned']) }, await connect());
      await expect(half.rebuildStream(poisoned.stream)).resolves.toMatchObject({ applied: [] });
      await expect(half.parkedStreams(1)).resolves.toMatchObject([{ revision: 3 }]);
      const model = over({}, await connect());
      await expect(model.rebuildStream(poisoned.stream)).resolves.toStrictEqual({
        applied: OF_PAYMENTS,
        stillParked: [],
      });
      await expect(model.rebuildStream(poisoned.stream)).resolves.toStrictEqual({ applied: [], stillParked: [] });
      const rows = await storedRows(world.database);
      await world.local().rebuild('all');
      expect(rows.order_status).toHaveLength(2);
      expect(await storedRows(world.database)).toStrictEqual(rows);
    });

    it('a stream that is resumed up to the checkpoint and then projected as usual', async () => {
      const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
      const model = over({ decode: poison(['PayerChallenged']) });
      await model.build();
      await write(poisoned);
      const log = await wholeLog(world.store, model.categories);
      await project(model, log.slice(0, 4));
      const knowing = over({}, await connect());
      await knowing.rebuildStream(poisoned.stream);
      await expect(knowing.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({
        revision: 3n,
        view: { stage: 'sale_3d_validated' },
      });
      await expect(knowing.openWork('orders').list({ limit: 1 })).resolves.toHaveLength(1);
      await expect(knowing.openWork('orders').dueLanes(START, 10)).resolves.toMatchObject({ nextDueAt: expect.any(Number) as number });
      await project(knowing, log.slice(4));
      await expect(knowing.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ revision: 5n, view: { status: 'approved' } });
      await expect(knowing.openWork('orders').list({ limit: 1 })).resolves.toStrictEqual([]);
    });

    it('a stream that a running projector follows once another process has resumed it', async () => {
      const poisoned = paymentStory(1, [0, 4]);
      let isPoisonous = true;
      const careful: Decode = (stored) =>
        isPoisonous && stored.type === 'PayerChallenged' ? poison([stored.type])(stored) : decode(stored);
      const running = await live([poisoned], { decode: careful });
      isPoisonous = false;
      await over({}, await connect()).rebuildStream(poisoned.stream);
      await writeStories(world.store, [paymentStory(2, APPROVED)]);
      await project(running);
      await expect(running.parked()).resolves.toStrictEqual([]);
      await expect(running.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ view: { stage: 'sale_3d_validating' } });
    });
  });
};
